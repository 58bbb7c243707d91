import { cpSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pino } from 'pino';
import { describe, expect, onTestFinished, test } from 'vitest';
import { takeNewOrigin } from '../../src/composition/new-origin.ts';
import { parseCheckpoint } from '../../src/domain/log/notes/checkpoint.ts';
import { parseNote } from '../../src/domain/log/notes/signed-note.ts';
import { formatVkey, parseVkey } from '../../src/domain/log/notes/vkey.ts';
import { openIntegrity } from '../../src/integrity.ts';
import { listen } from '../../src/platform/http/server.ts';
import { readSettings } from '../../src/platform/settings/settings.ts';
import { blobUrn, ownStatement } from '../builders/statements.ts';
import { type Answering, type TestWitness, testWitness } from '../builders/test-witness.ts';
import { send } from '../http/service.ts';
import { temporaryFolder } from '../temporary-folder.ts';

const publicUrl = 'http://127.0.0.1:3050';

/** A witness behind a port, which can be replaced. */
async function serve(witness: TestWitness) {
  let answer = witness.answer;
  const server = await listen({ fetch: (request) => answer(request), host: '127.0.0.1', port: 0 });
  onTestFinished(() => server.stop(0));
  return {
    line: witness.line.replace(witness.url, server.url),
    replace: (next: Answering = witness.answer) => {
      answer = next;
    },
  };
}

function newFolder() {
  const folder = temporaryFolder();
  onTestFinished(() => folder[Symbol.dispose]());
  return folder.path;
}

async function openService(dataDir: string, environment: Record<string, string> = {}) {
  const lines: { level: number; msg: string }[] = [];
  const log = pino({ level: 'info' }, { write: (line: string) => void lines.push(JSON.parse(line)) });
  const settings = readSettings({
    CAIRN_DATA_DIR: dataDir,
    CAIRN_WORKERS: '1',
    CAIRN_PUBLIC_URL: publicUrl,
    ...environment,
  });
  const service = await openIntegrity(settings, log);
  let isOpen = true;
  const close = async () => {
    if (isOpen) await service[Symbol.asyncDispose]();
    isOpen = false;
  };
  onTestFinished(close);
  const note = async () => parseNote(await (await service.app.request('/log/v1/checkpoint')).text());
  return {
    close,
    said: () => lines.filter(({ level }) => level >= 40).map(({ msg }) => msg),
    key: async () => parseVkey((await (await service.app.request('/log/v1/key')).text()).trim()),
    put: async (name: string) => {
      const statements = [ownStatement('DataRegistration', { data: [blobUrn(name)] })];
      await send(service, 'PUT', '/statements/v1/batch', { statements, generate_id: true });
    },
    size: async () => parseCheckpoint((await note()).text).size,
    signers: async () => (await note()).signatures.map(({ name }) => name),
    ready: async () => (await send(service, 'GET', '/ready')).json,
  };
}

describe('a service with witnesses', () => {
  test('publishes what a quorum has cosigned, and says in /ready why it does not', async () => {
    const data = newFolder();
    const alone = await openService(data);
    const key = await alone.key();
    await alone.close();
    const [w1, w2] = [await serve(testWitness('w1', key)), await serve(testWitness('w2', key))];
    const policy = join(newFolder(), 'policy');
    writeFileSync(policy, `${w1.line}\n${w2.line}\ngroup both all w1 w2\nquorum both\n`);
    const service = await openService(data, { CAIRN_LOG_WITNESSES: policy });
    await service.put('one');
    await expect.poll(service.signers).toEqual([key.name, 'w1', 'w2']);
    expect(await service.ready()).toEqual({ status: 'up' });
    const size = await service.size();
    w2.replace(() => new Response('broken', { status: 500 }));
    await service.put('two');
    await expect.poll(service.ready).toEqual({
      status: 'up',
      warnings: [
        'No new checkpoint of the log is published: too few witnesses have cosigned it.',
        'The witness w2 does not cosign the log: it answers with an error.',
      ],
    });
    expect(await service.size()).toBe(size);
    w2.replace();
    await expect.poll(service.size, { timeout: 5_000 }).toBe(size + 1);
    await expect.poll(service.ready).toEqual({ status: 'up' });
  });

  test.each([
    ['witness w1 nonsense http://w1\nquorum w1\n', 'Line 1'],
    ['quorum w1\n', 'not defined'],
    ['witness w1 KEY\nquorum w1\n', 'without a URL'],
    ['witness w1 KEY ftp://w1\nquorum w1\n', 'not http or https'],
  ])('does not start with the policy %j', async (text, problem) => {
    const policy = join(newFolder(), 'policy');
    const key = 'w1+3a7843f3+BOEPVvjWIryTwBuA89EMUJtEJqlWc2zM8OYM9Kif7m+4';
    writeFileSync(policy, text.replace('KEY', key));
    await expect(openService(newFolder(), { CAIRN_LOG_WITNESSES: policy })).rejects.toThrow(problem);
  });
});

describe('a service whose store was restored from an older backup', () => {
  /** @returns the folder of the restored store, and how large the log was that was published. */
  async function restored(environment: Record<string, string>) {
    const [data, backup] = [newFolder(), join(newFolder(), 'backup')];
    const first = await openService(data, environment);
    await first.put('before the backup');
    await expect.poll(() => first.size().catch(() => 0)).toBeGreaterThan(0);
    await first.close();
    cpSync(data, backup, { recursive: true });
    const second = await openService(data, environment);
    const size = await second.size();
    await second.put('after the backup');
    await expect.poll(second.size).toBe(size + 1);
    await second.close();
    rmSync(data, { recursive: true });
    return { backup, data, published: size + 1 };
  }

  test('signs nothing as long as the head file names a larger or another tree', async () => {
    const environment = { CAIRN_LOG_HEAD_FILE: join(newFolder(), 'head') };
    const { backup, published } = await restored(environment);
    const service = await openService(backup, environment);
    const old = await service.size();
    expect(old).toBeLessThan(published);
    // Two more entries make the tree larger than the published one, with another content.
    for (const name of ['another one', 'and one more']) {
      await service.put(name);
      await expect.poll(service.ready).toMatchObject({
        warnings: [expect.stringContaining('knows another history of it. See docs/backup.md.')],
      });
    }
    expect(await service.size()).toBe(old);
    expect(service.said().length).toBeLessThan(5);
    // The operator goes on under a new name.
    await service.close();
    const origin = '127.0.0.1:3050/log/v1/since-today';
    const settings = readSettings({ CAIRN_DATA_DIR: backup, CAIRN_PUBLIC_URL: publicUrl });
    await expect(takeNewOrigin(settings, '127.0.0.1:3050/log/v1', () => undefined)).rejects.toThrow(
      'never had',
    );
    const { vkey } = await takeNewOrigin(settings, origin, () => undefined);
    rmSync(environment.CAIRN_LOG_HEAD_FILE);
    const renamed = await openService(backup, environment);
    await expect.poll(renamed.signers).toEqual([origin]);
    expect(formatVkey(await renamed.key())).toBe(vkey);
    expect(await renamed.size()).toBeGreaterThan(old);
    expect(await renamed.ready()).toEqual({ status: 'up' });
  });

  test('signs nothing as long as a witness knows a larger tree, also without a head file', async () => {
    const data = newFolder();
    const alone = await openService(data);
    const key = await alone.key();
    await alone.put('before the backup');
    await expect.poll(() => alone.size().catch(() => 0)).toBeGreaterThan(0);
    await alone.close();
    const backup = join(newFolder(), 'backup');
    cpSync(data, backup, { recursive: true });
    const w1 = await serve(testWitness('w1', key));
    const policy = join(newFolder(), 'policy');
    writeFileSync(policy, `${w1.line}\nquorum w1\n`);
    const environment = { CAIRN_LOG_WITNESSES: policy };
    const original = await openService(data, environment);
    await original.put('after the backup');
    await expect.poll(original.signers).toContain('w1');
    await original.close();
    const service = await openService(backup, environment);
    await service.put('another one');
    await expect.poll(service.ready).toMatchObject({
      warnings: [
        expect.stringContaining('knows another history'),
        'The witness w1 does not cosign the log: it knows another tree of this log than this store has.',
      ],
    });
    expect(await service.signers()).toEqual([key.name]);
  });
});

test('a head file that is damaged, or of another log, stops signing', async () => {
  const file = join(newFolder(), 'head');
  const data = newFolder();
  writeFileSync(file, 'nonsense');
  const service = await openService(data, { CAIRN_LOG_HEAD_FILE: file });
  await service.put('one');
  await expect.poll(() => service.said().join()).toContain('Publishing a checkpoint');
  await service.close();
  rmSync(file);
  const other = await openService(newFolder(), {
    CAIRN_LOG_HEAD_FILE: file,
    CAIRN_PUBLIC_URL: 'http://127.0.0.1:3051',
  });
  await other.put('one');
  await expect.poll(() => other.size().catch(() => 0)).toBe(1);
  await other.close();
  const again = await openService(data, { CAIRN_LOG_HEAD_FILE: file });
  await expect.poll(again.ready).toMatchObject({ warnings: ['No new checkpoint of the log is published.'] });
});
