import { base58btc } from 'multiformats/bases/base58';
import { describe, expect, test } from 'vitest';
import { ServiceError } from '../../../src/domain/errors.ts';
import { makeDidKey } from '../../../src/domain/integrity/identifiers/did-key.ts';
import { addProof } from '../../../src/domain/integrity/proofs/data-integrity.ts';
import type { DataIntegrityProof } from '../../../src/domain/integrity/proofs/proof.ts';
import { hashed, rdfcTexts } from '../../../src/domain/integrity/proofs/rdfc.ts';
import { newKey, signerWith, type TestKey } from '../../builders/keys.ts';
import { canonicalizer } from '../../builders/proofs.ts';
import { verifyProof } from '../../builders/worded.ts';

const identifier = canonicalizer();
const ports = { identifier, ownKeys: [] };
const created = new Date('2026-03-04T05:06:07.890Z');
const credential = {
  '@context': ['https://www.w3.org/ns/credentials/v2'],
  id: 'urn:uuid:58172aac-d8ba-41ed-83dd-0b3aef56cc33',
  type: ['VerifiableCredential'],
  issuer: 'did:example:issuer',
  validFrom: '2026-01-01T00:00:00Z',
  credentialSubject: { id: 'did:example:subject', name: 'Ada' },
};
const key = newKey();

function signed(
  by: TestKey = key,
  document: object = credential,
  more: object = {},
): Promise<{ proof: DataIntegrityProof; '@context'?: unknown }> {
  return addProof({ identifier, signer: signerWith(by) }, document, { created, ...more });
}

describe('what this service signs verifies', () => {
  test.each([
    ['Ed25519', {}, 'eddsa-rdfc-2022'],
    ['Ed25519', { cryptosuite: 'eddsa-jcs-2022' }, 'eddsa-jcs-2022'],
    ['P-256', {}, 'ecdsa-rdfc-2019'],
  ] as const)('with a key on %s and options %j', async (keyType, options, cryptosuite) => {
    const by = newKey(keyType);
    const document = await signed(by, credential, options);
    expect(document.proof).toMatchObject({ created: '2026-03-04T05:06:07Z', verificationMethod: by.method });
    expect(await verifyProof(ports, document)).toEqual({
      result: 'ok',
      signers: [by.did],
      signer: by.did,
      verificationMethod: by.method,
      cryptosuite,
      created: '2026-03-04T05:06:07Z',
    });
    const changed = { ...document, credentialSubject: { id: 'did:example:other', name: 'Ada' } };
    expect(await verifyProof(ports, changed)).toMatchObject({
      result: 'failed',
      reason: expect.stringContaining('signature'),
    });
  });

  test('proofs of one key at different times differ, and each verifies', async () => {
    const times = ['2026-03-04T05:06:07Z', '2027-03-04T05:06:07Z'];
    const proofs = await Promise.all(
      times.map((time) =>
        addProof({ identifier, signer: signerWith(key) }, credential, { created: new Date(time) }),
      ),
    );
    expect(proofs.map(({ proof }) => proof.created)).toEqual(times);
    for (const document of proofs) expect(await verifyProof(ports, document)).toMatchObject({ result: 'ok' });
    const [one, other] = proofs;
    const mixed = { ...one, proof: { ...one?.proof, created: other?.proof.created } };
    expect(await verifyProof(ports, mixed)).toMatchObject({ result: 'failed' });
  });

  test('in a document whose contexts do not define proofs, whose context is added', async () => {
    const document = { '@context': { name: 'https://schema.org/name' }, name: 'Ada' };
    const result = await signed(key, document);
    expect(result['@context']).toEqual([document['@context'], 'https://w3id.org/security/data-integrity/v2']);
    expect(await verifyProof(ports, result)).toMatchObject({ result: 'ok' });
  });
});

/** The paths of all texts of a document. */
function texts(value: unknown, path: readonly string[] = []): (readonly string[])[] {
  if (typeof value === 'string') return [path];
  return Object.entries(value as object).flatMap(([name, member]) => texts(member, [...path, name]));
}

function withOtherText(value: unknown, [name, ...rest]: readonly string[]): unknown {
  if (name === undefined) return `${value}x`;
  const member = (value as Record<string, unknown>)[name];
  if (Array.isArray(value)) return value.with(Number(name), withOtherText(member, rest));
  return { ...(value as object), [name]: withOtherText(member, rest) };
}

test.each([
  ['Ed25519', {}],
  ['Ed25519', { cryptosuite: 'eddsa-jcs-2022' }],
  ['P-256', {}],
] as const)(
  'no text of a document that a key on %s signed with %j can be changed',
  async (keyType, options) => {
    const document = await signed(newKey(keyType), credential, options);
    const paths = texts(document);
    expect(paths.length).toBeGreaterThan(10);
    for (const path of paths) {
      const { result } = await verifyProof(
        ports,
        withOtherText(document, path) as object as Record<string, unknown>,
      );
      expect([path, result]).not.toEqual([path, 'ok']);
    }
  },
);

describe('is not signed', () => {
  test.each([
    ['a document with a proof', { ...credential, proof: {} }, key, {}, 'invalid_request'],
    ['a member that no context defines', { ...credential, admin: true }, key, {}, 'not_covered'],
    [
      'an EdDSA suite with a key on P-256',
      credential,
      newKey('P-256'),
      { cryptosuite: 'eddsa-jcs-2022' },
      'invalid_request',
    ],
  ] as const)('%s', async (_, document, by, options, code) => {
    const error = await signed(by, document, options).catch((error: unknown) => error);
    expect(error).toBeInstanceOf(ServiceError);
    expect(error).toMatchObject({ code });
  });
});

describe('keys', () => {
  const ownDidWeb = 'did:web:cairn.example';

  async function signedAsWeb(by: TestKey) {
    const { proofValue: _, ...options } = (await signed(by)).proof;
    const verificationMethod = `${ownDidWeb}#${by.did.slice('did:key:'.length)}`;
    const proof = { ...options, verificationMethod };
    const signature = by.sign(hashed(await rdfcTexts(identifier, credential, proof)));
    return { ...credential, proof: { ...proof, proofValue: base58btc.encode(signature) } };
  }

  test('the did:web of this service has its active and its former keys', async () => {
    const own = { ...ports, ownKeys: [newKey(), key], ownDidWeb };
    expect(await verifyProof(own, await signedAsWeb(key))).toMatchObject({ result: 'ok', signer: ownDidWeb });
    expect(await verifyProof(own, await signedAsWeb(newKey()))).toMatchObject({
      result: 'failed',
      reason: expect.stringContaining('has no key'),
    });
  });

  test('the key of another did:web cannot be looked up', async () => {
    expect(await verifyProof(ports, await signedAsWeb(key))).toMatchObject({
      result: 'unknown',
      reason: expect.stringContaining('did:web:cairn.example'),
      signer: null,
    });
  });
});

describe('several proofs', () => {
  const other = newKey();

  async function twice(change: (proof: DataIntegrityProof) => object = (proof) => proof) {
    const [one, two] = [await signed(), await signed(other)];
    return { ...one, proof: [one.proof, change(two.proof)] };
  }

  test('hold together, and name every signer', async () => {
    expect(await verifyProof(ports, await twice())).toMatchObject({
      result: 'ok',
      signers: [key.did, other.did],
      signer: null,
    });
  });

  test('fail together if one fails', async () => {
    const document = await twice((proof) => ({ ...proof, created: '2020-01-01T00:00:00Z' }));
    expect(await verifyProof(ports, document)).toMatchObject({
      result: 'failed',
      reason: expect.stringMatching(/^Proof 2 of 2: The signature is not by/),
    });
  });

  test('are limited in number', async () => {
    const { proof } = await signed();
    const document = { ...credential, proof: Array(11).fill(proof) };
    expect(await verifyProof(ports, document)).toMatchObject({
      result: 'failed',
      reason: expect.stringContaining('11 proofs'),
    });
  });
});

describe('a proof that does not hold says why', () => {
  const p256 = newKey('P-256');
  const p384 = newKey('P-384');
  const offCurve = makeDidKey('P-256', Buffer.alloc(33, 3));
  const multibase = (did: string) => did.slice('did:key:'.length);

  test.each<[string, object, 'failed' | 'unknown', RegExp]>([
    ['no multibase prefix', { proofValue: 'abc' }, 'failed', /starts with "z"/],
    ['characters that are not base58', { proofValue: 'z0OIl' }, 'failed', /not base58btc/],
    ['a long value', { proofValue: `z${'2'.repeat(100_000)}` }, 'failed', /base58btc that starts with "z"/],
    ['a short signature', { proofValue: 'z2222' }, 'failed', /has 64 bytes, but this one has/],
    ['no value', { proofValue: undefined }, 'failed', /proofValue must be a signature/],
    ['no purpose', { proofPurpose: undefined }, 'failed', /proofPurpose must be "assertionMethod"/],
    ['another purpose', { proofPurpose: 'authentication' }, 'failed', /"authentication"/],
    ['two signers', { verificationMethod: [key.method, p256.method] }, 'failed', /must be one DID URL/],
    ['no DID', { verificationMethod: 'https://example.com/key' }, 'failed', /must be a DID URL/],
    ['no fragment', { verificationMethod: key.did }, 'failed', /names the key nothing/],
    [
      'the fragment of another key',
      { verificationMethod: `${key.did}#${multibase(p256.did)}` },
      'failed',
      /the only key of/,
    ],
    [
      'a broken did:key',
      { verificationMethod: 'did:key:z6Mk#z6Mk' },
      'failed',
      /key of the proof is invalid/,
    ],
    [
      'a point that is not on the curve',
      { verificationMethod: `${offCurve}#${multibase(offCurve)}` },
      'failed',
      /not a point on its curve/,
    ],
    ['a key of another type', { verificationMethod: p256.method }, 'failed', /needs a key on Ed25519/],
    ['P-384', { cryptosuite: 'ecdsa-rdfc-2019', verificationMethod: p384.method }, 'unknown', /P-384/],
    ['a suite of its own', { cryptosuite: 'bbs-2023' }, 'unknown', /"bbs-2023" cannot be checked/],
    ['the name of a member of objects', { cryptosuite: 'constructor' }, 'unknown', /"constructor"/],
    ['no suite', { cryptosuite: undefined }, 'failed', /cryptosuite must be a name/],
    ['no type', { type: undefined }, 'failed', /type of a proof must be a name/],
    ['a broken time', { created: 'yesterday' }, 'failed', /created must be an RFC 3339 time/],
    ['a broken end', { expires: 5 }, 'failed', /expires must be an RFC 3339 time/],
    ['an end in the past', { expires: '2026-03-05T00:00:00Z' }, 'failed', /expired at 2026-03-05/],
    ['an end that nobody signed', { expires: '2999-03-05T00:00:00Z' }, 'failed', /signature is not by/],
    [
      'a previous proof that is missing',
      { previousProof: 'urn:uuid:1' },
      'failed',
      /previousProof "urn:uuid:1"/,
    ],
  ])('%s', async (_, change, result, reason) => {
    const document = await signed();
    const proof = Object.fromEntries(
      Object.entries({ ...document.proof, ...change }).filter(([, value]) => value !== undefined),
    );
    const check = await verifyProof(
      { ...ports, now: () => new Date('2026-06-01T00:00:00Z') },
      { ...document, proof },
    );
    expect(check).toMatchObject({ result, reason: expect.stringMatching(reason) });
  });

  test.each([
    ['none', undefined],
    ['an empty list', []],
    ['a text', 'proof'],
    ['null', null],
    ['a list with a number', [1]],
  ])('%s in place of a proof', async (_, proof) => {
    expect(await verifyProof(ports, { ...credential, proof })).toMatchObject({
      result: 'failed',
      reason: expect.stringContaining('proof'),
      signer: null,
    });
  });

  test('a member that the proof does not cover', async () => {
    expect(await verifyProof(ports, { ...(await signed()), admin: true })).toMatchObject({
      result: 'failed',
      reason: expect.stringMatching(/does not cover the whole document.*"\/admin"/),
    });
  });

  test('a context that nobody knows', async () => {
    const document = await signed();
    const context = ['https://www.w3.org/ns/credentials/v2', 'https://example.com/unknown'];
    expect(await verifyProof(ports, { ...document, '@context': context })).toMatchObject({
      result: 'unknown',
      reason: expect.stringContaining('https://example.com/unknown'),
    });
  });

  test('more contexts than are accepted', async () => {
    const context = Array(10_000).fill('https://www.w3.org/ns/credentials/v2');
    expect(await verifyProof(ports, { ...(await signed()), '@context': context })).toMatchObject({
      result: 'unknown',
      reason: expect.stringContaining('contexts'),
    });
  });

  test('JSON in RFC 8785 form whose contexts do not start with those of the proof', async () => {
    const document = await signed(key, credential, { cryptosuite: 'eddsa-jcs-2022' });
    expect(
      await verifyProof(ports, { ...document, '@context': ['https://example.com/other'] }),
    ).toMatchObject({
      result: 'failed',
      reason: expect.stringContaining('@context'),
    });
  });

  test('a failure of the service is thrown', async () => {
    const failing = {
      canonicalNQuads: async () => Promise.reject(new ServiceError('unavailable', 'No thread is free.')),
    };
    const check = verifyProof({ ...ports, identifier: failing }, await signed());
    await expect(check).rejects.toMatchObject({ code: 'unavailable' });
  });
});
