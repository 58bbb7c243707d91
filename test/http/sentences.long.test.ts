import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sentenceOf, sentences } from '../../src/contract/sentences.ts';
import type { Reason } from '../../src/domain/integrity/proofs/reasons.ts';
import {
  checkOf,
  ownSignature,
  type Signature,
  signatures,
} from '../../src/domain/integrity/signatures/signatures.ts';
import {
  identified,
  manifestOf,
  registration,
  revocationList,
  signed,
  signedCredential,
  statusEntry,
} from '../builders/evidence.ts';
import { newKey } from '../builders/keys.ts';
import { blobUrn, dataStatement, type Json, ownStatement } from '../builders/statements.ts';
import { cairn, temporaryFolder } from '../cli/run-cairn.ts';
import { send, useService } from './service.ts';

const [key, other] = [newKey(), newKey()];
const folder = temporaryFolder();
afterAll(() => folder[Symbol.dispose]());
const service = useService();

const statement = (name: string) => identified({ ...dataStatement(blobUrn(name)), registeredBy: key.did });

/** A statement and the registration of a credential about it. */
async function vouched(name: string, credential: Json, by = key) {
  const about = await statement(name);
  const made = await signedCredential(by, { credentialSubject: { id: about['@id'] }, ...credential });
  return { about, made, carrier: await registration(made, key.did) };
}

async function evidence() {
  const good = await vouched('good', { credentialStatus: statusEntry(4) });
  const revoked = await vouched('revoked', { credentialStatus: statusEntry(5) });
  const expired = await vouched('expired', { validUntil: '2026-02-01T00:00:00Z' });
  const elsewhere = { ...statusEntry(6), statusListCredential: 'https://lists.example/2' };
  const unknown = await vouched('unknown', { credentialStatus: elsewhere });
  const foreign = await vouched('foreign', { issuer: other.did });
  const all = [good, revoked, expired, unknown, foreign];
  const step = ownStatement('ComputationRegistration', {
    registeredBy: key.did,
    input: blobUrn('good'),
    output: blobUrn('result'),
    operatedBy: key.did,
  });
  const proven = await signed(step, key);
  const broken = { ...proven, output: blobUrn('another') };
  const steps = [await identified(step), await identified(broken)];
  return { all, statements: [...all.flatMap(({ about, carrier }) => [about, carrier]), ...steps] };
}

/** What an answer says without its sentences. */
function facts(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value), (name, one) =>
    /^(?:status_)?reason$|^stored_at$/.test(name) ? undefined : one,
  );
}

async function answerOf(...asked: Parameters<typeof send> extends [unknown, ...infer Rest] ? Rest : never) {
  const { status, json } = await send(service, ...asked);
  return { status, json };
}

let path = '';
let list = '';
let made: Awaited<ReturnType<typeof evidence>>;
beforeAll(async () => {
  made = await evidence();
  path = join(folder.path, 'manifest.json');
  list = join(folder.path, 'list.json');
  writeFileSync(path, JSON.stringify(manifestOf(made.statements)));
  writeFileSync(list, JSON.stringify(await revocationList(key, [5])));
  for (const [at, one] of made.all.entries())
    writeFileSync(join(folder.path, `credential${at}.json`), JSON.stringify(one.made));
  await send(service, 'PUT', '/statements/v1/batch', { statements: made.statements });
});

/** Everything that says what stands: exit codes, JSON, and the marks of reports. */
async function everything() {
  const options = ['--status-list', list, '--signer', key.did];
  const offline = await cairn(['verify', path, '--json', '--full', ...options]);
  const required = await cairn(['verify', path, ...options, '--require-status', '--require-signer']);
  const credentials = await Promise.all(
    made.all.map((_, at) =>
      cairn(['verify', join(folder.path, `credential${at}.json`), '--json', '--status-list', list]),
    ),
  );
  const report = join(folder.path, 'report.html');
  const reported = await cairn(['report', path, '-o', report, ...options]);
  const ids = made.statements.map((one) => String(one['@id']).slice('urn:cid:'.length));
  const verifications = await Promise.all(
    ids.map((id) => answerOf('GET', `/statements/v1/id/${id}/verification`)),
  );
  const found = await Promise.all(ids.map((id) => answerOf('GET', `/cid/v1/find/${id}`)));
  const checked = await Promise.all(
    made.all.map(({ made: credential }) => answerOf('POST', '/credentials/v1/verify', { credential })),
  );
  const page = await service.app.request(`/report/v1/${ids[0]}`);
  const linesOf = (text: string) =>
    text
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
  const marks = (html: string) => html.match(/<span class="badge [^/]*<\/span>|<h2 id="verdict">[^<]*/g);
  return {
    codes: [offline, required, reported, ...credentials].map(({ code }) => code),
    offline: linesOf(offline.stdout),
    credentials: credentials.flatMap(({ stdout }) => linesOf(stdout)),
    verifications,
    found,
    checked,
    marks: [marks(readFileSync(report, 'utf8')), marks(await page.text())],
  };
}

describe('a sentence', () => {
  it('decides nothing: with other words every standing, exit code, count and mark is the same', async () => {
    const before = await everything();
    const real = { ...sentences };
    try {
      for (const code of Object.keys(sentences)) Object.assign(sentences, { [code]: () => 'x' });
      const after = await everything();
      expect(facts(after)).toEqual(facts(before));
      expect(JSON.stringify(after)).toContain('"reason":"x"');
      expect(JSON.stringify(after)).not.toContain('The credential is revoked.');
    } finally {
      Object.assign(sentences, real);
    }
    expect(JSON.stringify(before)).toContain('The credential is revoked.');
    expect(before.codes.slice(0, 3)).toEqual([0, 1, 0]);
    expect(before.marks.map((all) => all?.length)).toEqual([expect.any(Number), expect.any(Number)]);
    expect(before.offline.at(-1).summary).toMatchObject({
      revoked: 2,
      credentials: { revoked: 1, unknown: 1 },
    });
  });

  it('of an earlier version is read from its record', () => {
    const made = ownSignature({
      carrier: 'x',
      about: 'y',
      signer: key.did,
      credentialId: null,
      credentialCid: null,
      validFrom: null,
      validUntil: null,
      createdAt: 1,
    });
    const { why: _, ...earlier } = { ...made, result: 'failed' as const, reason: 'It is wrong.' };
    const check = checkOf(signatures.shape.parse(earlier));
    expect(check.reason && sentenceOf(check.reason)).toBe('It is wrong.');
    expect(checkOf(earlier as Signature)).toEqual(check);
  });

  it('of a later version is its code', () => {
    const later = { code: 'of_the_future' } as unknown as Reason;
    expect(sentenceOf(later)).toBe('of_the_future');
  });
});
