import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterAll, describe, expect, test } from 'vitest';
import { encodeBitstring } from '../../src/domain/integrity/credentials/bitstring.ts';
import { addProof } from '../../src/domain/integrity/proofs/data-integrity.ts';
import { newCredential } from '../builders/credentials.ts';
import { newKey, signerWith, type TestKey } from '../builders/keys.ts';
import { canonicalizer } from '../builders/proofs.ts';
import { type Rewriting, rewritable, rewritings, written } from '../builders/rewritten-credentials.ts';
import { cairn, temporaryFolder } from './run-cairn.ts';

const folder = temporaryFolder();
afterAll(() => folder[Symbol.dispose]());
const [key, other] = [newKey(), newKey()];
const listUrl = 'https://cairn.example/credentials/v1/status-lists/1';
/** Without a service. */
const env = { CAIRN_URL: 'http://127.0.0.1:9' };

const sign = (document: object, by: TestKey = key) =>
  addProof({ identifier: canonicalizer(), signer: signerWith(by) }, document, { created: new Date() });

function entry(index: string, more = {}) {
  return {
    type: 'BitstringStatusListEntry',
    statusPurpose: 'revocation',
    statusListIndex: index,
    statusListCredential: listUrl,
    ...more,
  };
}

const unsignedList = (encodedList: string, more = {}, by: TestKey = key) => ({
  ...newCredential({
    id: listUrl,
    type: ['VerifiableCredential', 'BitstringStatusListCredential'],
    issuer: by.did,
  }),
  credentialSubject: { type: 'BitstringStatusList', statusPurpose: 'revocation', encodedList },
  ...more,
});

/** Rewritings of a status that work in the context of credentials itself. */
const sameContext = [
  'an IRI as the name of the status',
  'a status in lists',
  'a status in @included',
  'a status in @nest',
].map((name) => [name, rewritings[name] as Rewriting] as const);

let files = 0;
function write(value: unknown): string {
  files += 1;
  const path = join(folder.path, `${files}.json`);
  writeFileSync(path, JSON.stringify(value));
  return path;
}

const signedFile = async (more: object, by: TestKey = key) =>
  write(await sign({ ...newCredential({ issuer: key.did }), ...more }, by));
const verify = (...args: string[]) => cairn(['verify', ...args], { env });

describe('cairn verify CREDENTIAL', () => {
  test('verifies a credential offline', async () => {
    const path = await signedFile({});
    const { code, stdout } = await verify(path);
    expect([code, stdout]).toEqual([
      0,
      `${path}: verified\n  proof     ok\n  dates     ok\n  status    ok\n  issuer    ok\n`,
    ]);
    const asJson = await verify(path, '--json');
    expect(JSON.parse(asJson.stdout)).toMatchObject({
      kind: 'credential',
      ok: true,
      checks: { proof: { result: 'ok' } },
    });
  });

  test('says what does not hold, with exit code 1', async () => {
    const changed = write({
      ...(await sign(newCredential({ issuer: key.did }))),
      validFrom: '2026-02-01T00:00:00Z',
    });
    const foreign = await signedFile({}, other);
    const expired = await signedFile({ validUntil: '2026-01-02T00:00:00Z' });
    for (const [path, reason] of [
      [changed, /proof {5}failed {3}The signature is not by/],
      [foreign, /issuer {4}failed {3}did:key:\S+ signed, but the issuer is/],
      [expired, /dates {5}failed {3}The credential expired/],
      [write(newCredential()), /proof {5}failed {3}The document has no proof/],
    ] as const) {
      const { code, stdout } = await verify(path);
      expect(stdout).toMatch(reason);
      expect([code, stdout]).toEqual([1, expect.stringContaining('NOT VERIFIED')]);
    }
  });

  test('reads the status from signed lists', async () => {
    const list = write(await sign(unsignedList(await encodeBitstring([5]))));
    const good = await signedFile({ credentialStatus: entry('4') });
    const revoked = await signedFile({ credentialStatus: [entry('5')] });
    expect((await verify(good, '--status-list', list)).code).toBe(0);
    expect(await verify(revoked, '--status-list', list)).toMatchObject({
      code: 1,
      stdout: expect.stringMatching(/status {4}failed {3}The credential is revoked\./),
    });
    const without = await verify(good);
    expect([without.code, without.stdout]).toEqual([
      1,
      expect.stringMatching(/status {4}unknown {2}The status list \S+ is not among the given ones/),
    ]);
  });

  test('reads several lists', async () => {
    const suspension = { statusPurpose: 'suspension', statusListCredential: `${listUrl}2` };
    const path = await signedFile({ credentialStatus: [entry('4'), entry('6', suspension)] });
    const revocations = write(await sign(unsignedList(await encodeBitstring([]))));
    const subject = { type: 'BitstringStatusList', statusPurpose: 'suspension' };
    const suspended = async (indexes: number[]) => {
      const credentialSubject = { ...subject, encodedList: await encodeBitstring(indexes) };
      return write(await sign(unsignedList('', { id: `${listUrl}2`, credentialSubject })));
    };
    const both = async (indexes: number[]) =>
      await verify(path, '--status-list', revocations, '--status-list', await suspended(indexes));
    expect((await both([4])).code).toBe(0);
    expect(await both([6])).toMatchObject({ code: 1, stdout: expect.stringContaining('is suspended') });
  });

  const zipped = (bytes: number) => `u${gzipSync(Buffer.alloc(bytes)).toString('base64url')}`;
  const refused: readonly [string, () => Promise<unknown> | unknown, string, RegExp][] = [
    [
      'of another issuer',
      async () => sign(unsignedList(await encodeBitstring([]), {}, other), other),
      '4',
      /Its issuer is \S+, but/,
    ],
    [
      'that somebody else signed',
      async () => sign(unsignedList(await encodeBitstring([])), other),
      '4',
      /signed, but the issuer is/,
    ],
    ['without a proof', async () => unsignedList(await encodeBitstring([])), '4', /has no proof/],
    [
      'that has expired',
      async () => sign(unsignedList(await encodeBitstring([]), { validUntil: '2026-01-02T00:00:00Z' })),
      '4',
      /expired/,
    ],
    [
      'that is another credential',
      () => sign(newCredential({ id: listUrl, issuer: key.did })),
      '4',
      /not a BitstringStatusListCredential/,
    ],
    [
      'for another purpose',
      async () =>
        sign(
          unsignedList('', {
            credentialSubject: {
              type: 'BitstringStatusList',
              statusPurpose: 'suspension',
              encodedList: await encodeBitstring([]),
            },
          }),
        ),
      '4',
      /purpose of the status list is not revocation/,
    ],
    [
      'shorter than the minimum',
      () => sign(unsignedList(zipped(1_000))),
      '4',
      /has 8000 entries. The minimum is 131072/,
    ],
    ['that is a gzip bomb', () => sign(unsignedList(zipped(64 << 20))), '4', /more than 16777216 entries/],
    ['that is no bit string', () => sign(unsignedList('x')), '4', /letter u/],
    [
      'without that index',
      async () => sign(unsignedList(await encodeBitstring([]))),
      '131072',
      /outside the list/,
    ],
    [
      'for an index that is no number',
      async () => sign(unsignedList(await encodeBitstring([]))),
      '1e3',
      /whole number/,
    ],
  ];

  test.each(refused)('refuses a list %s', async (_, list, index, reason) => {
    const path = await signedFile({ credentialStatus: entry(index) });
    const { code, stdout } = await verify(path, '--status-list', write(await list()));
    expect(stdout).toMatch(/status {4}failed/);
    expect(stdout).toMatch(reason);
    expect(code).toBe(1);
  });

  test('accepts the lists of a named issuer', async () => {
    const list = write(await sign(unsignedList(await encodeBitstring([]), {}, other), other));
    const path = await signedFile({ credentialStatus: entry('4') });
    const { code } = await verify(path, '--status-list', list, '--status-issuer', other.did);
    expect(code).toBe(0);
  });

  test('does not know contexts that are nowhere, and takes them from a folder', async () => {
    const url = 'https://contexts.example/v1';
    const document = { '@context': { note: 'https://example.org/note' } };
    const unsigned = {
      ...newCredential({ issuer: key.did }),
      '@context': ['https://www.w3.org/ns/credentials/v2', url],
    };
    const ports = { identifier: canonicalizer({ [url]: document }), signer: signerWith(key) };
    const path = write(await addProof(ports, { ...unsigned, note: 'x' }, { created: new Date() }));
    const without = await verify(path);
    expect([without.code, without.stdout]).toEqual([
      1,
      expect.stringMatching(/proof {5}unknown.*contexts\.example/),
    ]);
    const { mkdirSync } = await import('node:fs');
    const contexts = join(folder.path, 'contexts');
    mkdirSync(join(contexts, 'https', 'contexts.example'), { recursive: true });
    writeFileSync(join(contexts, 'https', 'contexts.example', 'v1'), JSON.stringify(document));
    expect((await verify(path, '--contexts', contexts)).code).toBe(0);
  });

  test('exits with 2 for wrong usage', async () => {
    const path = await signedFile({ credentialStatus: entry('4') });
    const statement = write({ '@context': 'https://www.w3.org/ns/credentials/v2', '@type': 'x' });
    expect((await verify(path, '--status-list', join(folder.path, 'missing'))).code).toBe(2);
    expect((await verify(path, '--status-list', statement)).code).toBe(2);
    expect((await verify(statement, '--status-list', path)).code).toBe(2);
  });
});

test.each(sameContext)('a revoked credential stays revoked: %s', async (_, rewrite) => {
  const unsigned = newCredential({ issuer: key.did, credentialStatus: entry('7') });
  const { '@context': context } = unsigned;
  const path = write({ ...written(rewrite(rewritable(await sign(unsigned)))), '@context': context });
  const list = write(await sign(unsignedList(await encodeBitstring([7]))));
  const { code, stdout } = await verify(path, '--status-list', list);
  expect([code, stdout]).toEqual([1, expect.stringContaining('NOT VERIFIED')]);
});
