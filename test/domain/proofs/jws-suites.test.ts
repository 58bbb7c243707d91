import { describe, expect, test } from 'vitest';
import { sha256Digest } from '../../../src/domain/integrity/identifiers/hashing.ts';
import type { JsonObject } from '../../../src/domain/json/is-object.ts';
import { newKey, type TestKey } from '../../builders/keys.ts';
import { canonicalizer } from '../../builders/proofs.ts';
import { verifyProof } from '../../builders/worded.ts';

const ports = { identifier: canonicalizer(), ownKeys: [] };
const suites = [
  ['Ed25519Signature2018', 'Ed25519', 'EdDSA'],
  ['EcdsaSecp256k1Signature2019', 'secp256k1', 'ES256K'],
  ['EcdsaSecp256r1Signature2019', 'P-256', 'ES256'],
] as const;
const id = 'urn:uuid:58172aac-d8ba-41ed-83dd-0b3aef56cc33';
const dateTime = '^^<http://www.w3.org/2001/XMLSchema#dateTime>';
const vc = 'https://www.w3.org/2018/credentials#';
const firstContext = 'https://www.w3.org/2018/credentials/v1';

const credential = {
  '@context': [firstContext],
  id,
  type: ['VerifiableCredential'],
  issuer: 'did:example:issuer',
  issuanceDate: '2026-01-01T00:00:00Z',
  credentialSubject: { id: 'did:example:subject' },
};
const lines = [
  `<${id}> <http://www.w3.org/1999/02/22-rdf-syntax-ns#type> <${vc}VerifiableCredential> .`,
  `<${id}> <${vc}credentialSubject> <did:example:subject> .`,
  `<${id}> <${vc}issuanceDate> "2026-01-01T00:00:00Z"${dateTime} .`,
  `<${id}> <${vc}issuer> <did:example:issuer> .`,
];
/** What drafts of credentials/v2 made of the term that the final context does not have. */
const draftLines = [
  lines[0],
  lines[1],
  lines[3],
  `<${id}> <https://www.w3.org/ns/credentials/issuer-dependent#issuanceDate> "2026-01-01T00:00:00Z" .`,
];

function optionsLines(type: string, { method }: TestKey): string[] {
  return [
    `_:c14n0 <http://purl.org/dc/terms/created> "2026-02-02T00:00:00Z"${dateTime} .`,
    `_:c14n0 <http://www.w3.org/1999/02/22-rdf-syntax-ns#type> <https://w3id.org/security#${type}> .`,
    '_:c14n0 <https://w3id.org/security#proofPurpose> <https://w3id.org/security#assertionMethod> .',
    `_:c14n0 <https://w3id.org/security#verificationMethod> <${method}> .`,
  ];
}

const digest = (quads: readonly (string | undefined)[]) =>
  sha256Digest(quads.map((line) => `${line}\n`).join(''));

/** Signs N-Quads that are written out above, so that no code of the service takes part. */
function proofBy(
  key: TestKey,
  type: string,
  header: object,
  quads: readonly (string | undefined)[] = lines,
): JsonObject {
  const start = Buffer.from(JSON.stringify(header)).toString('base64url');
  const payload = Buffer.concat([digest(optionsLines(type, key)), digest(quads)]);
  const signature = key.sign(Buffer.concat([Buffer.from(`${start}.`), payload])).toString('base64url');
  const created = '2026-02-02T00:00:00Z';
  const options = { type, proofPurpose: 'assertionMethod', verificationMethod: key.method, created };
  return { ...options, jws: `${start}..${signature}` };
}

describe.each(suites)('%s', (type, keyType, alg) => {
  const key = newKey(keyType);
  const header = { alg, crit: ['b64'], b64: false };

  test('verifies, and fails for other content', async () => {
    const proof = proofBy(key, type, header);
    expect(await verifyProof(ports, { ...credential, proof })).toMatchObject({
      result: 'ok',
      signer: key.did,
      cryptosuite: type,
    });
    expect(await verifyProof(ports, { ...credential, issuer: 'did:example:other', proof })).toMatchObject({
      result: 'failed',
    });
  });

  test('verifies issuanceDate with credentials/v2 under the vocabulary of its drafts only', async () => {
    const context = ['https://www.w3.org/ns/credentials/v2', 'https://w3id.org/security/v2'];
    const document = { ...credential, '@context': context };
    const results = [draftLines, [lines[0], lines[1], lines[3]]].map(async (quads) => {
      const check = await verifyProof(ports, { ...document, proof: proofBy(key, type, header, quads) });
      return check.result;
    });
    expect(await Promise.all(results)).toEqual(['ok', 'failed']);
  });

  test.each([
    ['another algorithm', proofBy(key, type, { ...header, alg: 'none' }), /alg of the jws must be/],
    ['an encoded payload', proofBy(key, type, { alg }), /"b64": false/],
    ['a header that is not JSON', { ...proofBy(key, type, header), jws: 'abc..abc' }, /not a JSON object/],
    ['a payload inside', { ...proofBy(key, type, header), jws: 'abc.abc.abc' }, /detached JWS/],
    ['a long jws', { ...proofBy(key, type, header), jws: `abc..${'a'.repeat(2_000)}` }, /detached JWS/],
    ['no jws', { ...proofBy(key, type, header), jws: undefined }, /detached JWS/],
  ])('refuses %s', async (_, proof, reason) => {
    expect(await verifyProof(ports, { ...credential, proof })).toMatchObject({
      result: 'failed',
      reason: expect.stringMatching(reason),
    });
  });
});
