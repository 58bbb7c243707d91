import { createPrivateKey, sign } from 'node:crypto';
import { contexts as citizenship } from '@digitalbazaar/citizenship-context';
import { base58btc } from 'multiformats/bases/base58';
import { describe, expect, test } from 'vitest';
import { addProof } from '../../src/domain/integrity/proofs/data-integrity.ts';
import { keyOfDid } from '../../src/domain/integrity/proofs/keys.ts';
import { hashed, rdfcTexts } from '../../src/domain/integrity/proofs/rdfc.ts';
import { jcsData } from '../../src/domain/integrity/proofs/suites.ts';
import type { Signer } from '../../src/domain/integrity/signer.ts';
import type { JsonObject } from '../../src/domain/json/is-object.ts';
import { canonicalizer } from '../builders/proofs.ts';
import { verifyProof } from '../builders/worded.ts';
import { describeTestData, listTestData, readTestJson, readTestText } from '../test-data.ts';

interface KeyPair {
  readonly publicKeyMultibase: string;
  readonly privateKeyMultibase: string;
}

const folder = ['conformance', 'vc-di-eddsa'] as const;
const json = (...path: string[]) => readTestJson<JsonObject>(...folder, ...path);
const hexOf = (...path: string[]) => readTestText(...folder, ...path).trim();
const citizenshipUrl = 'https://w3id.org/citizenship/v4rc1';
const identifier = canonicalizer({ [citizenshipUrl]: citizenship.get(citizenshipUrl) as object });
const ports = { identifier, ownKeys: [] };

function signerOf({ publicKeyMultibase, privateKeyMultibase }: KeyPair): Signer {
  const did = `did:key:${publicKeyMultibase}`;
  const { kty = '', crv = '', x = '' } = keyOfDid(did).key.export({ format: 'jwk' });
  // A multicodec of two bytes stands before the key.
  const d = Buffer.from(base58btc.decode(privateKeyMultibase).subarray(2)).toString('base64url');
  const key = createPrivateKey({ key: { kty, crv, x, d }, format: 'jwk' });
  return { did, keys: [{ did, jwk: { kty, crv, x } }], sign: async (bytes) => sign(null, bytes, key) };
}

/** Each folder of the vectors: unsigned document, signed document, its other files, and the suite that signs it again. */
const suites = [
  ['eddsa-rdfc-2022', 'unsigned.json', 'DataInt', 'eddsa-rdfc-2022'],
  ['eddsa-rdfc-2022/employ', 'employmentAuth.json', 'DataInt', 'eddsa-rdfc-2022'],
  ['eddsa-jcs-2022', 'unsigned.json', 'JCS', 'eddsa-jcs-2022'],
] as const;

describeTestData('Data Integrity', () => {
  test('every folder of the vectors is tested', () => {
    const folders = listTestData(...folder).filter((name) => !name.endsWith('.json'));
    expect(folders).toEqual(['Ed25519Signature2020', 'eddsa-jcs-2022', 'eddsa-rdfc-2022', 'proof-set-chain']);
  });

  describe.each(suites)('%s', (name, unsignedFile, suffix, cryptosuite) => {
    const unsigned = json(unsignedFile);
    const signed = json(...name.split('/'), `signed${suffix}.json`);
    const options = json(...name.split('/'), `proofConfig${suffix}.json`);

    test('hashes the proof options and the document as the standard does', async () => {
      const data =
        cryptosuite === 'eddsa-jcs-2022'
          ? jcsData(unsigned, options)
          : hashed(await rdfcTexts(identifier, unsigned, options));
      expect(data.toString('hex')).toBe(hexOf(...name.split('/'), `combinedHash${suffix}.txt`));
    });

    test('signs the document byte for byte', async () => {
      const signer = signerOf(readTestJson<KeyPair>(...folder, 'keyPair.json'));
      const created = new Date('2023-02-24T23:36:38Z');
      expect(await addProof({ identifier, signer }, unsigned, { created, cryptosuite })).toEqual(signed);
    });

    test('verifies the signed document', async () => {
      expect(await verifyProof(ports, signed)).toMatchObject({ result: 'ok', cryptosuite });
    });
  });

  test('Ed25519Signature2020 verifies', async () => {
    const signed = json('Ed25519Signature2020', 'signedEdSig.json');
    expect(await verifyProof(ports, signed)).toMatchObject({
      result: 'ok',
      cryptosuite: 'Ed25519Signature2020',
    });
  });

  test.each([
    'signedProofSet1.json',
    'signedProofSet2.json',
    'signedProofChain1.json',
    'signedProofChain2.json',
  ])('every proof of %s holds', async (file) => {
    const check = await verifyProof(ports, json('proof-set-chain', file));
    expect(check).toMatchObject({ result: 'ok' });
  });

  test('a proof of a chain fails if a proof before it is missing', async () => {
    const signed = json('proof-set-chain', 'signedProofChain2.json') as { proof: JsonObject[] };
    const check = await verifyProof(ports, { ...signed, proof: signed.proof.slice(1) });
    expect(check).toMatchObject({ result: 'failed', reason: expect.stringContaining('previousProof') });
  });
});
