import { randomUUID } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { shortId } from '../../src/contract/words/text.ts';
import { cidOf, codecs } from '../../src/domain/integrity/identifiers/cid.ts';
import { cairn, type Service, startService, temporaryFolder } from './run-cairn.ts';

const project = randomUUID();
const control = cidOf(codecs.jcs, 'control').text;
const submission = { submittedAt: '2026-03-01T07:30:00Z', submittedBy: 'did:example:ada' };
let service: Service;
let subject: string;

beforeAll(async () => {
  service = await startService();
  subject = await post('cid/subject', { id: project });
});
afterAll(async () => await service[Symbol.asyncDispose]());

async function post(path: string, body: unknown): Promise<string> {
  const headers = { 'content-type': 'application/json' };
  const init = { method: 'POST', headers, body: JSON.stringify(body) };
  const response = await fetch(`${service.url}/gov/v1/${path}`, init);
  const text = await response.text();
  expect(response.status, text).toBe(200);
  return text;
}

const status = async (...args: string[]) => await cairn(['gov', 'status', ...args], { env: service.env });

describe('cairn gov status', () => {
  test('says that nothing is declared', async () => {
    const { code, stdout } = await status(subject, project);
    expect([code, stdout]).toEqual([
      0,
      `urn:cid:${subject}\nin the project ${project}\n\nNothing is declared.\n\nThere are no certificates.\n`,
    ]);
  });

  test('prints the last review about each control', async () => {
    const place = `${subject}/${project}`;
    const declaration = { ...submission, controlCid: [control] };
    const { documentCid } = JSON.parse(await post(`controls/declaration/${place}`, declaration));
    const { documentCid: plain } = JSON.parse(await post(`controls/declaration/${place}`, submission));
    const review = { ...submission, declarationCid: documentCid, decision: 'changes_requested' };
    await post(`controls/review/${place}`, review);
    const { code, stdout } = await status(`urn:cid:${subject}`, `urn:uuid:${project}`, '--full');
    const rows = stdout.split('\n').map((line) => line.split(/ {2,}/));
    expect(code).toBe(0);
    expect(rows).toContainEqual([
      control,
      documentCid,
      'changes_requested',
      '2026-03-01T07:30:00Z',
      'did:example:ada',
    ]);
    expect(rows).toContainEqual(['-', plain, 'not reviewed', '-', '-']);
  });

  test('prints the answer of the service with --json', async () => {
    const { stdout } = await status(subject, project, '--json');
    expect(JSON.parse(stdout)).toMatchObject({ subject: `urn:cid:${subject}`, project });
  });

  test('lists certificates, and cairn verify accepts the manifest of their policy', async () => {
    const body = { policy: { title: 'release' }, controls: [{ title: 'evaluate' }] };
    const { policyCid } = JSON.parse(await post('cid/policy', body));
    const certificate = { subjectCid: subject, policyCid, expiryDate: '2999-12-31' };
    const { credential } = JSON.parse(await post(`policy/compliance/${project}`, certificate));
    const short = await status(subject, project);
    expect(short.stdout).toContain(shortId(policyCid));
    const { stdout } = await status(subject, project, '--full');
    expect(stdout.split('\n').map((line) => line.split(/ {2,}/))).toContainEqual([
      'valid',
      '2999-12-31T23:59:59Z',
      'compliance',
      credential.credentialId,
      policyCid,
    ]);
    expect(stdout).toContain(
      `${credential.credentialId}: The last review has not approved 1 control of its policy.\n`,
    );
    using folder = temporaryFolder();
    const file = join(folder.path, 'policies.json');
    const asked = { policyCids: [policyCid], includeBlobs: true, includeContext: true };
    writeFileSync(file, await post(`policy/manifest/${project}`, asked));
    const verified = await cairn(['verify', file], { env: { CAIRN_URL: 'http://127.0.0.1:9' } });
    expect([verified.code, verified.stderr], verified.stdout).toEqual([0, '']);
  });

  test('fails for an unknown subject, and for a project that is no UUID', async () => {
    const unknown = await status(cidOf(codecs.jcs, 'unknown').text, project);
    expect([unknown.code, unknown.stderr]).toEqual([1, expect.stringContaining('There is no subject')]);
    const wrong = await status(subject, 'mine');
    expect([wrong.code, wrong.stderr]).toEqual([2, expect.stringContaining('is not a UUID')]);
  });
});
