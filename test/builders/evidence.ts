import { encodeBitstring } from '../../src/domain/integrity/credentials/bitstring.ts';
import { jcs } from '../../src/domain/integrity/identification/jcs.ts';
import { cidOf, cidUrn, codecs } from '../../src/domain/integrity/identifiers/cid.ts';
import { addProof } from '../../src/domain/integrity/proofs/data-integrity.ts';
import { newCredential } from './credentials.ts';
import { signerWith, type TestKey } from './keys.ts';
import { manifest } from './manifests.ts';
import { canonicalizer } from './proofs.ts';
import { identifierWith, identifyOptions, type Json, ownStatement } from './statements.ts';

const listUrl = 'https://cairn.example/credentials/v1/status-lists/1';
const signedAt = new Date('2026-01-31T12:00:00Z');

export function statusEntry(index: number, more: Json = {}) {
  return {
    type: 'BitstringStatusListEntry',
    statusPurpose: 'revocation',
    statusListIndex: String(index),
    statusListCredential: listUrl,
    ...more,
  };
}

export async function signed<Document extends object>(document: Document, by: TestKey) {
  return await addProof({ identifier: canonicalizer(), signer: signerWith(by) }, document, {
    created: signedAt,
  });
}

/** A credential by this key, signed by it. */
export async function signedCredential(by: TestKey, more: Json = {}) {
  return await signed(newCredential({ issuer: by.did, ...more }), by);
}

/** A signed list in which these indexes are revoked. */
export async function revocationList(by: TestKey, indexes: readonly number[]) {
  const credentialSubject = {
    type: 'BitstringStatusList',
    statusPurpose: 'revocation',
    encodedList: await encodeBitstring(indexes),
  };
  const type = ['VerifiableCredential', 'BitstringStatusListCredential'];
  return await signedCredential(by, { id: listUrl, type, credentialSubject });
}

/** A statement with its id. */
export async function identified(statement: Json): Promise<Json & { readonly '@id': string }> {
  const { jcs: text } = await identifierWith().identify(
    Buffer.from(JSON.stringify(statement)),
    identifyOptions,
  );
  return JSON.parse(text);
}

/** The registration of a credential by this DID. */
export async function registration(credential: object, registeredBy: string) {
  return await identified(ownStatement('CredentialRegistration', { credential, registeredBy }));
}

/** A manifest of statements with their ids, and of documents. */
export function manifestOf(
  statements: readonly (Json & { readonly '@id': string })[],
  documents: readonly object[] = [],
) {
  const blobs = documents.map((document) => [
    cidOf(codecs.jcs, jcs(document)).text,
    Buffer.from(jcs(document)).toString('base64'),
  ]);
  return manifest({
    statements: Object.fromEntries(statements.map((one) => [one['@id'], one])),
    blobs: Object.fromEntries(blobs),
  });
}

/** The `urn:cid:` of a JSON document. */
export function documentUrn(document: object): string {
  return cidUrn(cidOf(codecs.jcs, jcs(document)));
}
