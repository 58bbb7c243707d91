import { expect, test } from 'vitest';
import { didDocument, didWebOf } from '../../../src/domain/integrity/proofs/did-web.ts';
import { newKey, signerWith } from '../../builders/keys.ts';

test.each([
  ['https://cairn.example', 'did:web:cairn.example'],
  ['https://Cairn.Example/', 'did:web:cairn.example'],
  ['https://cairn.example:443', 'did:web:cairn.example'],
  ['https://cairn.example:8443', 'did:web:cairn.example%3A8443'],
  ['https://cairn.example/integrity/a~b', 'did:web:cairn.example:integrity:a%7Eb'],
  ['https://cairn.example:8443/a%20b', 'did:web:cairn.example%3A8443:a%20b'],
  ['https://bücher.example', 'did:web:xn--bcher-kva.example'],
  ['http://cairn.example', null],
  ['https://192.0.2.1', null],
  ['https://[2001:db8::1]:8443', null],
])('the did:web of %s is %s', (url, did) => {
  expect(didWebOf(url)).toBe(did);
});

test('the document lists the active key, then the former ones', () => {
  const [active, former] = [newKey('P-256'), newKey()];
  const multibases = [active, former].map(({ did }) => did.slice('did:key:'.length));
  const did = 'did:web:cairn.example';
  expect(didDocument(did, signerWith(active, former))).toEqual({
    '@context': ['https://www.w3.org/ns/did/v1', 'https://w3id.org/security/multikey/v1'],
    id: did,
    alsoKnownAs: [active.did],
    verificationMethod: multibases.map((publicKeyMultibase) => ({
      id: `${did}#${publicKeyMultibase}`,
      type: 'Multikey',
      controller: did,
      publicKeyMultibase,
    })),
    assertionMethod: multibases.map((multibase) => `${did}#${multibase}`),
  });
});
