import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import {
  documentUrn,
  identified,
  manifestOf,
  registration,
  revocationList,
  signedCredential,
  statusEntry,
} from '../builders/evidence.ts';
import { newKey } from '../builders/keys.ts';
import { blobUrn, dataStatement, type Json, ownStatement } from '../builders/statements.ts';
import { cairn, temporaryFolder } from './run-cairn.ts';

const folder = temporaryFolder();
afterAll(() => folder[Symbol.dispose]());
const [key, other] = [newKey(), newKey()];
/** Without a service. */
const env = { CAIRN_URL: 'http://127.0.0.1:9' };

let files = 0;
function write(value: unknown): string {
  files += 1;
  const path = join(folder.path, `${files}.json`);
  writeFileSync(path, JSON.stringify(value));
  return path;
}

function keysFolder(...documents: readonly unknown[]): string {
  files += 1;
  const path = join(folder.path, `keys${files}`);
  mkdirSync(path);
  for (const [at, document] of documents.entries())
    writeFileSync(join(path, `${at}.json`), JSON.stringify(document));
  return path;
}

/** A context in which a DataRegistration has other words. */
const iri = 'https://eqtylab.io/terms';
const terms = JSON.stringify({
  '@context': {
    Claim: `${iri}/DataRegistration`,
    by: `${iri}/registeredBy`,
    at: { '@id': `${iri}/timestamp`, '@type': 'http://www.w3.org/2001/XMLSchema#dateTime' },
    what: { '@id': `${iri}/data`, '@type': '@id' },
  },
});

const verify = (path: string, ...args: string[]) => cairn(['verify', path, ...args], { env });

async function verified(path: string, ...args: string[]) {
  const { code, stdout, stderr } = await verify(path, '--json', ...args);
  const lines = stdout
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));
  return {
    code,
    stderr,
    findings: lines.slice(0, -1).filter(({ kind }) => kind !== 'missing'),
    summary: lines.at(-1).summary,
  };
}

const data = () => identified({ ...dataStatement(blobUrn('data')), registeredBy: key.did });

/** A statement, and a registered credential about it with a revoked status. */
async function revokedStatement() {
  const statement = await data();
  const subject = { credentialSubject: { id: statement['@id'] } };
  const credential = await signedCredential(key, { ...subject, credentialStatus: statusEntry(5) });
  return { statement, subject, credential, list: write(await revocationList(key, [5])) };
}

describe('the status of a credential in a manifest', () => {
  test('cannot be hidden by other credentials of the same id', async () => {
    const { statement, subject, credential, list } = await revokedStatement();
    const id = { id: String(credential.id), ...subject, credentialStatus: statusEntry(4) };
    const { proof: _, ...unsigned } = await signedCredential(key, id);
    const decoys = [
      unsigned,
      { ...unsigned, proof: credential.proof },
      await signedCredential(other, id),
      await signedCredential(key, { ...id, credentialStatus: undefined }),
    ];
    for (const order of [
      [credential, ...decoys],
      [...decoys, credential],
    ]) {
      const carriers = await Promise.all(order.map((one) => registration(one, key.did)));
      const path = write(manifestOf([statement, ...carriers]));
      const { findings, summary } = await verified(path, '--status-list', list, '--signer', key.did);
      const found = findings.find((one) => one.statement === statement['@id']);
      expect(found).toMatchObject({ state: 'revoked', by: key.did, valid: false, known: false });
      expect(summary.credentials).toMatchObject({ revoked: 1, good: 0 });
    }
  });

  test('is not changed by what somebody else says about the same id', async () => {
    const statement = await data();
    const subject = { credentialSubject: { id: statement['@id'] } };
    const credential = await signedCredential(key, { ...subject, credentialStatus: statusEntry(4) });
    const theirs = { id: String(credential.id), ...subject, credentialStatus: statusEntry(5) };
    const { proof: _, ...unsigned } = await signedCredential(key, theirs);
    const carriers = [credential, unsigned, await signedCredential(other, theirs)];
    const registrations = await Promise.all(carriers.map((one) => registration(one, key.did)));
    const list = write(await revocationList(key, [5]));
    const { findings } = await verified(
      write(manifestOf([statement, ...registrations])),
      '--status-list',
      list,
    );
    const found = findings.find((one) => one.statement === statement['@id']);
    expect(found).toMatchObject({ state: 'signed', by: key.did, valid: true });
  });

  test.each([
    ['without a list', [], /is not among the given ones/],
    ['with a list of another issuer', [other], /is refused\. Its issuer is did:key:\S+, but/],
  ] as const)('is unknown %s, and --require-status says no', async (_, listedBy, reason) => {
    const { statement, credential } = await revokedStatement();
    const path = write(manifestOf([statement, await registration(credential, key.did)]));
    const lists = await Promise.all(listedBy.map(async (by) => write(await revocationList(by, []))));
    const args = lists.flatMap((list) => ['--status-list', list]);
    const { code, stdout } = await verify(path, ...args);
    expect([code, stdout]).toEqual([0, expect.stringMatching(/\n {2}status unknown: .*\(1\)\n/)]);
    expect(stdout).toMatch(reason);
    const required = await verified(path, ...args, '--require-status');
    expect([required.code, required.summary.ok, required.summary.unaltered]).toEqual([1, false, true]);
    expect(required.stderr).toContain('1 credential is revoked, suspended or of unknown status');
    expect(required.findings[0]).toMatchObject({ valid: true, status: 'unknown' });
  });

  test('is known from the right one of several lists with one address', async () => {
    const { statement, credential, list } = await revokedStatement();
    const path = write(manifestOf([statement, await registration(credential, key.did)]));
    const theirs = write(await revocationList(other, []));
    const { summary } = await verified(path, '--status-list', theirs, '--status-list', list);
    expect(summary).toMatchObject({ revoked: 2, credentials: { revoked: 1, unknown: 0 } });
  });

  test('is good if the list says so, and --require-status says yes', async () => {
    const { statement, credential } = await revokedStatement();
    const path = write(manifestOf([statement, await registration(credential, key.did)]));
    const list = write(await revocationList(other, []));
    const args = ['--status-list', list, '--status-issuer', other.did, '--require-status'];
    const { code, summary } = await verified(path, ...args);
    expect([code, summary.ok, summary.credentials.good]).toEqual([0, true, 1]);
  });

  test.each([
    ['too many', Array.from({ length: 21 }, (_, at) => statusEntry(at)), /has 21 entries/],
    ['another purpose', statusEntry(4, { statusPurpose: 'refresh' }), /for refresh/],
  ])('is unknown for %s', async (_, credentialStatus, reason) => {
    const credential = await signedCredential(key, { credentialStatus });
    const path = write(manifestOf([await registration(credential, key.did)]));
    const list = write(await revocationList(key, []));
    const { summary } = await verified(path, '--status-list', list);
    expect(summary.credentials).toMatchObject({ unknown: 1 });
    expect(summary.credentials.unknown_reasons[0].reason).toMatch(reason);
  });
});

describe('a certificate in a manifest', () => {
  const subject = blobUrn('model');
  const validFrom = '2026-01-31T12:00:00Z';

  async function certified(more: Json = {}, registered: Json = {}) {
    const certificate = await signedCredential(key, {
      validFrom,
      credentialSubject: { id: subject },
      credentialStatus: statusEntry(5),
      ...more,
    });
    const fields = { subject, document: documentUrn(certificate), registeredBy: key.did, ...registered };
    const statement = await identified(ownStatement('GovernanceRegistration', fields));
    return write(manifestOf([statement], [certificate]));
  }

  test('is listed if it is revoked, and its statement too', async () => {
    const path = await certified();
    const list = write(await revocationList(key, [5]));
    const { findings, summary } = await verified(path, '--status-list', list, '--signer', key.did);
    expect(findings).toEqual([
      expect.objectContaining({ kind: 'trust', state: 'revoked', by: key.did, known: false }),
      expect.objectContaining({
        kind: 'credential',
        state: 'revoked',
        by: key.did,
        signature: { result: 'ok' },
      }),
    ]);
    expect(summary).toMatchObject({ revoked: 1, known: 0, credentials: { revoked: 1 } });
    const { stdout } = await verify(path, '--status-list', list);
    expect(stdout).toMatch(
      /revoked by did:key:\S+: the credential urn:uuid:\S+ \(urn:cid:baga6\S+\)\. The credential is revoked\./,
    );
    expect((await verify(path, '--status-list', list, '--require-status')).code).toBe(1);
  });

  test('has an unknown status without its list', async () => {
    const path = await certified();
    const { code, stdout } = await verify(path);
    expect([code, stdout]).toEqual([
      0,
      expect.stringContaining('\n  status unknown: The status list https://cairn.example'),
    ]);
    expect((await verify(path, '--require-status')).code).toBe(1);
  });

  test('is the signature of the statement that says the same', async () => {
    const { code, summary } = await verified(await certified(), '--signer', key.did, '--require-signer');
    expect([code, summary.known, summary.verdict]).toEqual([0, 1, 'known']);
  });

  test.each([
    ['at another time', {}, { timestamp: '2026-02-01T12:00:00Z' }],
    ['about another subject', {}, { subject: blobUrn('another model') }],
    ['by another registrant', {}, { registeredBy: other.did }],
  ])('is not the signature of a statement %s', async (_, more, registered) => {
    const { summary } = await verified(await certified(more, registered), '--signer', key.did);
    expect(summary).toMatchObject({ claimed: 1, known: 0 });
  });

  test('is listed if nobody has signed it so', async () => {
    const certificate = { ...(await signedCredential(key)), validUntil: '2099-01-01T00:00:00Z' };
    const { findings } = await verified(write(manifestOf([], [certificate])));
    expect(findings).toEqual([
      expect.objectContaining({
        kind: 'credential',
        state: 'claimed',
        signature: expect.objectContaining({ result: 'failed' }),
      }),
    ]);
  });
});

describe('whom the reader trusts', () => {
  /** Two statements: one signed by its registrant, one by nobody. */
  async function halfSigned() {
    const statement = await data();
    const credential = await signedCredential(key, { credentialSubject: { id: statement['@id'] } });
    const carrier = await registration(credential, key.did);
    const claim = await identified(dataStatement(blobUrn('claimed')));
    return {
      whole: write(manifestOf([statement, carrier])),
      half: write(manifestOf([statement, carrier, claim])),
      claim,
    };
  }

  test('decides what a verdict says, which is neutral without it', async () => {
    const { whole, half, claim } = await halfSigned();
    const neutral = await verify(whole);
    expect([neutral.code, neutral.stdout]).toEqual([
      0,
      expect.stringContaining(`${whole}: unaltered; you have not said whom you trust (--signer, --keys)\n`),
    ]);
    expect(neutral.stdout).toContain(`2 signed by ${key.did}, all as registrant\n`);
    const known = await verify(whole, '--signer', key.did, '--require-signer');
    expect([known.code, known.stdout]).toEqual([
      0,
      expect.stringContaining('unaltered, and every statement is signed by those you trust\n'),
    ]);
    expect(known.stdout).toContain(`2 signed by ${key.did}, all as registrant, known to you\n`);
    const part = await verify(half, '--signer', key.did, '--require-signer');
    expect([part.code, part.stderr]).toEqual([
      1,
      expect.stringContaining('1 of 3 statements are not signed by those you trust'),
    ]);
    expect(part.stdout).toContain('unaltered; 2 of 3 statements are signed by those you trust\n');
    expect(part.stdout).toContain(`not by anybody you trust: ${claim['@id']}, signed by nobody\n`);
    const stranger = await verified(whole, '--signer', other.did);
    expect([stranger.code, stranger.summary]).toEqual([
      0,
      expect.objectContaining({ ok: true, verdict: 'partly_known', known: 0, ids: 2 }),
    ]);
    expect(stranger.summary.signers).toEqual([
      { signer: key.did, statements: 2, as_registrant: 2, known: false },
    ]);
  });

  test('has signed nothing with a credential that has expired, and the summary says so', async () => {
    const statement = await data();
    const expired = { credentialSubject: { id: statement['@id'] }, validUntil: '2026-01-02T00:00:00Z' };
    const carrier = await registration(await signedCredential(key, expired), key.did);
    const path = write(manifestOf([statement, carrier]));
    const { stdout } = await verify(path);
    expect(stdout).toContain('  2 signed, 2 of them not valid now, 0 only claimed, 0 revoked\n');
    const { summary } = await verified(path, '--signer', key.did);
    expect(summary).toMatchObject({ signed: 2, invalid: 2, known: 0, signers: [] });
  });

  test('comes before what others signed', async () => {
    const statement = await data();
    const subject = { credentialSubject: { id: statement['@id'] } };
    const carriers = await Promise.all(
      [key, other].map(async (by) => registration(await signedCredential(by, subject), by.did)),
    );
    const path = write(manifestOf([statement, ...carriers]));
    const { findings, summary } = await verified(path, '--signer', other.did);
    expect(findings.find((one) => one.statement === statement['@id'])).toMatchObject({
      by: other.did,
      known: true,
    });
    expect(summary).toMatchObject({ known: 2, ids: 3 });
  });

  test.each([
    ['what the id does not cover', blobUrn(terms), { index: 1 }, { uncovered: 1 }],
    [
      'what only the manifest explains',
      'https://forms.example/context',
      {},
      { unverified_contexts: [expect.any(String)] },
    ],
  ])('is not enough for %s', async (_, url, more, found) => {
    const statement: Json = await data();
    const credential = await signedCredential(key, { credentialSubject: { id: statement['@id'] } });
    const carrier = await registration(credential, key.did);
    const { '@id': id, registeredBy: by, timestamp: at, data: what } = statement;
    const form = { '@context': url, '@id': String(id), '@type': 'Claim', by, at, what, ...more };
    const path = write({ ...manifestOf([form, carrier]), contexts: { [url]: JSON.parse(terms) } });
    const { code, summary } = await verified(path, '--signer', key.did, '--require-signer');
    expect([code, summary]).toEqual([
      1,
      expect.objectContaining({ ok: false, unaltered: true, signed: 2, known: 1, ...found }),
    ]);
  });

  test('is nobody for a manifest without statements', async () => {
    const { code, stderr } = await verify(write(manifestOf([])), '--signer', key.did, '--require-signer');
    expect([code, stderr]).toEqual([1, expect.stringContaining('There is no statement')]);
  });

  test('makes a report green, and nothing is green without it', async () => {
    const { whole, half } = await halfSigned();
    const report = async (path: string, ...args: string[]) =>
      await cairn(['report', path, '-o', '-', ...args], { env });
    const marks = ({ stdout }: { stdout: string }) =>
      [...stdout.matchAll(/class="(verdict|badge) (\w+)"/g)].map(([, , tone]) => tone);
    const trusting = ['--signer', key.did, '--require-signer'];
    const known = await report(whole, ...trusting);
    expect([known.code, new Set(marks(known))]).toEqual([0, new Set(['good'])]);
    expect(known.stdout).toContain('Unaltered, and every statement is signed by those who are trusted');
    const part = await report(half, ...trusting);
    expect([part.code, marks(part)[0]]).toEqual([1, 'neutral']);
    expect(part.stdout).toContain('Unaltered; 2 of 3 statements are signed by those who are trusted');
    for (const args of [[], ['--signer', other.did]])
      expect(marks(await report(whole, ...args))).not.toContain('good');
  });

  test('is read from JWKs, JWK Sets and DID documents, which also make did:web verifiable', async () => {
    const { whole } = await halfSigned();
    for (const document of [key.jwk, { keys: [{ ...key.jwk, kid: 'one' }] }])
      expect((await verify(whole, '--keys', keysFolder(document), '--require-signer')).code).toBe(0);
    const web = 'did:web:ada.example';
    const statement = await identified({ ...dataStatement(blobUrn('data')), registeredBy: web });
    const credential = await signedCredential(
      { ...key, did: web },
      { credentialSubject: { id: statement['@id'] } },
    );
    const { verificationMethod: id } = credential.proof;
    const document = {
      id: web,
      verificationMethod: [{ id, type: 'Multikey', controller: web, publicKeyMultibase: key.did.slice(8) }],
      assertionMethod: [id],
    };
    const path = write(manifestOf([statement, await registration(credential, web)]));
    const without = await verified(path, '--signer', web);
    expect(without.summary).toMatchObject({ claimed: 2, known: 0 });
    const { code, summary } = await verified(path, '--keys', keysFolder(document), '--require-signer');
    expect([code, summary.signers]).toEqual([
      0,
      [{ signer: web, statements: 2, as_registrant: 2, known: true }],
    ]);
  });

  test.each<[string, readonly string[], string]>([
    ['a nonsense DID', ['--signer', 'nonsense'], '--signer "nonsense" is not a DID.'],
    ['a DID URL', ['--signer', `${key.did}#x`], 'is not a DID.'],
    ['a damaged did:key', ['--signer', 'did:key:zbad'], '--signer "did:key:zbad" is not a DID. The key'],
    ['a folder that does not exist', ['--keys', '/nowhere'], '--keys /nowhere is not a folder'],
  ])('is wrong usage for %s', async (_, args, words) => {
    const { whole } = await halfSigned();
    for (const command of [
      ['verify', whole],
      ['report', whole, '-o', '-'],
    ]) {
      const { code, stderr, stdout } = await cairn([...command, ...args], { env });
      expect([code, stderr, stdout]).toEqual([2, expect.stringContaining(words), '']);
    }
  });

  test('the answer is no if a signer is required and the user has named nobody', async () => {
    const { whole } = await halfSigned();
    const { code, stderr } = await verify(whole, '--require-signer');
    expect([code, stderr]).toEqual([1, expect.stringContaining('Name these with --signer or --keys.')]);
  });

  test.each<[string, readonly unknown[], string]>([
    ['is empty', [], 'has no keys'],
    ['has something else', [['list']], '0.json of --keys cannot be used: it is neither a JWK'],
    ['has an empty set', [{ keys: [] }], 'cannot be used: it has no keys.'],
    ['has a DID document without keys', [{ id: 'did:web:x.example' }], 'without an assertionMethod'],
  ])('is wrong usage for a folder that %s', async (_, documents, words) => {
    const { whole } = await halfSigned();
    const { code, stderr } = await verify(whole, '--keys', keysFolder(...documents));
    expect([code, stderr]).toEqual([2, expect.stringContaining(words)]);
  });

  test('is only for manifests and credentials', async () => {
    const path = write(await data());
    const { code, stderr } = await verify(path, '--signer', key.did);
    expect([code, stderr]).toEqual([2, expect.stringContaining('are for credentials and manifests')]);
    const credential = write(await signedCredential(key));
    expect(await verify(credential, '--signer', key.did, '--require-signer')).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('the issuer is known to you'),
    });
    expect((await verify(credential, '--signer', other.did, '--require-signer')).code).toBe(1);
  });
});
