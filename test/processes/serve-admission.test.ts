import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { connect } from 'node:tls';
import { expect, test } from 'vitest';
import { cairn, said, startCairn } from '../cli/run-cairn.ts';
import { startCheckServer } from '../http/admission/check-server.ts';
import { podOf, startWebhook, writeCertificate } from '../http/admission/webhook.ts';
import { temporaryFolder } from '../temporary-folder.ts';

const release = `{ cairn: policy/1, name: release, rules: [{ name: made, require: "made_by.exists(c, true)" }] }`;

test('cairn serve admission says all that is missing, and what is wrong with its policies', async () => {
  const nothing = await cairn(['serve', 'admission']);
  expect(nothing.code).toBe(2);
  for (const name of ['CERT_FILE', 'KEY_FILE', 'SERVICE_URL', 'POLICIES_DIR'])
    expect(nothing.stderr).toContain(`CAIRN_ADMISSION_${name} is not set`);
  using folder = temporaryFolder();
  const env = environment(folder.path);
  expect(await cairn(['serve', 'admission'], { env })).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('has no policies'),
  });
  writeFileSync(join(folder.path, 'policies', 'release.yaml'), release.replace('made_by', 'made_byy'));
  writeFileSync(join(folder.path, 'policies', 'Other.yaml'), release);
  writeFileSync(
    join(folder.path, 'policies', 'latin.yaml'),
    release.replace('made', 'gem\u00e4ss'),
    'latin1',
  );
  const faulty = await cairn(['serve', 'admission'], { env });
  expect(faulty.code).toBe(2);
  expect(faulty.stderr).toMatch(/release\.yaml:1:\d+: .*made_byy/);
  expect(faulty.stderr).toContain('Other.yaml: Name it <name>.yaml');
  expect(faulty.stderr).toContain('latin.yaml: It is not UTF-8.');
});

test('cairn serve admission stops at a signal, after the reviews that run', async () => {
  using folder = temporaryFolder();
  writeCertificate(folder.path);
  const env = environment(folder.path);
  writeFileSync(join(folder.path, 'policies', 'release.yaml'), release);
  const running = startCairn(['serve', 'admission'], { env });
  expect(await said(running, /listens on (https:\/\/127\.0\.0\.1:\d+)/)).toBeDefined();
  running.stop();
  expect(await running.done).toMatchObject({ code: 0 });
});

test('another certificate is used as soon as it fits to its key, and one that does not fit is not used', async () => {
  await using checks = await startCheckServer();
  checks.results.set(`sha256:${'a'.repeat(64)}`, 'pass');
  await using webhook = await startWebhook({ serviceUrl: checks.url, policies: { release } });
  expect((await webhook.get('/health')).certificate).toBe('webhook');
  using other = temporaryFolder();
  writeCertificate(other.path, 'other');
  const replace = (file: string) =>
    writeFileSync(join(webhook.folder, file), readFileSync(join(other.path, file)));
  const name = () => shownName(webhook.admission.server.url);
  replace('tls.crt');
  await expect.poll(() => webhook.log.at(-1)?.msg).toMatch(/cannot be used, so the old one stays/);
  expect(await name()).toBe('webhook');
  replace('tls.key');
  await expect.poll(name).toBe('other');
  const { allowed } = await webhook.review('/validate/release/enforce', {
    object: podOf(`app@sha256:${'a'.repeat(64)}`),
  });
  expect(allowed).toBe(true);
});

function environment(folder: string) {
  mkdirSync(join(folder, 'policies'), { recursive: true });
  return {
    CAIRN_ADMISSION_PORT: '0',
    CAIRN_ADMISSION_CERT_FILE: join(folder, 'tls.crt'),
    CAIRN_ADMISSION_KEY_FILE: join(folder, 'tls.key'),
    CAIRN_ADMISSION_SERVICE_URL: 'http://127.0.0.1:9',
    CAIRN_ADMISSION_POLICIES_DIR: join(folder, 'policies'),
  };
}

/** The name in the certificate that new connections get. */
async function shownName(url: string): Promise<string> {
  const port = Number(new URL(url).port);
  return await new Promise((resolve, reject) => {
    const socket = connect({ host: '127.0.0.1', port, rejectUnauthorized: false }, () => {
      resolve(String(socket.getPeerCertificate().subject.CN));
      socket.destroy();
    });
    socket.on('error', reject);
  });
}
