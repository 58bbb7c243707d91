import { DataIntegrityProof } from '@digitalbazaar/data-integrity';
import { generate as newEcdsaKey } from '@digitalbazaar/ecdsa-multikey';
import { cryptosuite as ecdsaRdfc } from '@digitalbazaar/ecdsa-rdfc-2019-cryptosuite';
import { generate as newEd25519Key } from '@digitalbazaar/ed25519-multikey';
import { cryptosuite as eddsaRdfc } from '@digitalbazaar/eddsa-rdfc-2022-cryptosuite';
import { issue, verifyCredential } from '@digitalbazaar/vc';
import { describe, expect, test } from 'vitest';
import { bundledContexts } from '../../src/domain/integrity/contexts/bundled.ts';
import { addProof } from '../../src/domain/integrity/proofs/data-integrity.ts';
import { verifyProof } from '../../src/domain/integrity/proofs/verify-proof.ts';
import { newKey, signerWith } from '../builders/keys.ts';
import { usePool } from '../builders/statement-pool.ts';

const { identifier } = usePool();
const ports = { identifier, ownKeys: [] };

/** Gives the other implementation the bundled contexts, and the keys of did:key. */
async function documentLoader(url: string) {
  const text = bundledContexts.get(url)?.();
  return { documentUrl: url, document: text === undefined ? didDocument(url) : JSON.parse(text) };
}

function didDocument(url: string): object {
  const [did = '', fragment] = url.split('#');
  if (!did.startsWith('did:key:')) throw new Error(`Nobody knows ${url}.`);
  const method = {
    '@context': 'https://w3id.org/security/multikey/v1',
    id: `${did}#${did.slice('did:key:'.length)}`,
    type: 'Multikey',
    controller: did,
    publicKeyMultibase: did.slice('did:key:'.length),
  };
  if (fragment !== undefined) return method;
  return { '@context': 'https://www.w3.org/ns/did/v1', id: did, assertionMethod: [method] };
}

function credentialBy(issuer: string) {
  return {
    '@context': ['https://www.w3.org/ns/credentials/v2'],
    id: 'urn:uuid:58172aac-d8ba-41ed-83dd-0b3aef56cc33',
    type: ['VerifiableCredential'],
    issuer,
    validFrom: '2026-01-01T00:00:00Z',
    credentialSubject: { id: 'did:example:subject', name: 'Ada' },
    evidence: [
      { type: 'Evidence', name: 'one' },
      { type: 'Evidence', name: 'two' },
    ].map((one) => ({
      ...one,
      type: ['https://example.com/Evidence'],
    })),
  };
}

const suites = [
  ['eddsa-rdfc-2022', 'Ed25519', eddsaRdfc, newEd25519Key],
  ['ecdsa-rdfc-2019', 'P-256', ecdsaRdfc, () => newEcdsaKey({ curve: 'P-256' })],
] as const;

describe.each(suites)('%s and another implementation', (cryptosuite, keyType, otherSuite, newOtherKey) => {
  test('a credential that is signed here verifies there', async () => {
    const signer = signerWith(newKey(keyType));
    const credential = await addProof({ identifier, signer }, credentialBy(signer.did), {
      created: new Date(),
    });
    expect(credential.proof.cryptosuite).toBe(cryptosuite);
    const suite = new DataIntegrityProof({ cryptosuite: otherSuite });
    expect(await verifyCredential({ credential, suite, documentLoader })).toMatchObject({ verified: true });
    const changed = { ...credential, validFrom: '2026-01-02T00:00:00Z' };
    const refused = await verifyCredential({ credential: changed, suite, documentLoader });
    expect(refused).toMatchObject({ verified: false });
  });

  test('a credential that is signed there verifies here', async () => {
    const pair = await newOtherKey();
    pair.controller = `did:key:${pair.publicKeyMultibase}`;
    pair.id = `${pair.controller}#${pair.publicKeyMultibase}`;
    const suite = new DataIntegrityProof({ cryptosuite: otherSuite, signer: pair.signer() });
    const credential = await issue({ credential: credentialBy(pair.controller), suite, documentLoader });
    expect(await verifyProof(ports, credential)).toMatchObject({
      result: 'ok',
      signer: pair.controller,
      cryptosuite,
    });
    const changed = { ...credential, validFrom: '2026-01-02T00:00:00Z' };
    expect(await verifyProof(ports, changed)).toMatchObject({ result: 'failed' });
  });
});

test('threads refuse members that the signature would not cover', async () => {
  const signer = signerWith(newKey());
  const document = { ...credentialBy(signer.did), admin: true };
  const signed = addProof({ identifier, signer }, document, { created: new Date() });
  await expect(signed).rejects.toMatchObject({
    code: 'not_covered',
    message: expect.stringContaining('"/admin"'),
  });
});
