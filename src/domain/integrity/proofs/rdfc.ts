import { LRUCache } from 'lru-cache';
import { ServiceError } from '../../errors.ts';
import { jcs } from '../identification/jcs.ts';
import { sha256Digest } from '../identifiers/hashing.ts';
import type { Identifier } from '../ports.ts';
import type { Canonicalizer, Json } from './proof.ts';

const credentialsV2 = 'https://www.w3.org/ns/credentials/v2';
/** The vocabulary for undefined terms that drafts of the credentials/v2 context had. */
const draftVocabulary = { '@vocab': 'https://www.w3.org/ns/credentials/issuer-dependent#' };

/**
 * What the suites that canonicalize with RDFC-1.0 sign: SHA-256 of the proof options, then SHA-256 of the document
 * (Data Integrity EdDSA Cryptosuites 1.0, 3.2.4).
 * @param options the proof without its signature.
 * @throws ServiceError `not_covered` if JSON-LD would drop members, so that the signature would not cover them.
 */
export async function rdfcData(identifier: Canonicalizer, document: Json, options: Json): Promise<Buffer> {
  try {
    return await hashes(identifier, document, options);
  } catch (error) {
    const isNotCovered = error instanceof ServiceError && error.code === 'not_covered';
    if (!isNotCovered || !isOfDraft(document)) throw error;
  }
  const draft = contextsOf(document).flatMap((url) =>
    url === credentialsV2 ? [url, draftVocabulary] : [url],
  );
  return await hashes(identifier, { ...document, '@context': draft }, options);
}

/** What the suites sign, for many documents. @throws ServiceError `not_covered`. */
export async function rdfcDataToSign(
  identifier: Pick<Identifier, 'nquads' | 'canonicalNQuads'>,
  documents: readonly Json[],
  options: Json,
): Promise<Buffer[]> {
  const texts = await identifier.canonicalNQuads(
    documents.map((document) => Buffer.from(JSON.stringify(document))),
  );
  const data: Buffer[] = [];
  for (const [at, { '@context': context }] of documents.entries()) {
    const own = await optionsNQuads(identifier, { ...options, '@context': context });
    data.push(Buffer.concat([own, texts[at] ?? ''].map(sha256Digest)));
  }
  return data;
}

async function hashes(identifier: Canonicalizer, document: Json, options: Json): Promise<Buffer> {
  const context = document['@context'];
  const inContext = { ...options, ...(context !== undefined && { '@context': context }) };
  const texts = await Promise.all([optionsNQuads(identifier, inContext), nquads(identifier, document)]);
  return Buffer.concat(texts.map(sha256Digest));
}

async function nquads(identifier: Canonicalizer, document: Json): Promise<string> {
  return await identifier.nquads(Buffer.from(JSON.stringify(document)), { canonical: true, covered: true });
}

/** `issuanceDate` is not a term of the final credentials/v2. */
function isOfDraft(document: Json): boolean {
  return 'issuanceDate' in document && contextsOf(document).includes(credentialsV2);
}

function contextsOf({ '@context': context }: Json): unknown[] {
  return Array.isArray(context) ? context : [context];
}

const usual = '@context,created,cryptosuite,proofPurpose,type,verificationMethod';
const wholeSeconds = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/;
const anyTime = '1970-01-01T00:00:00Z';
const literal = (time: string) => `"${time}"^^<http://www.w3.org/2001/XMLSchema#dateTime>`;
const kept = {
  max: 500,
  maxSize: 1 << 20,
  sizeCalculation: (text: string, key: string) => text.length + key.length,
};
const caches = new WeakMap<Canonicalizer, LRUCache<string, string>>();

/** Usual proofs of one key and context differ in their time only, which is one literal of the N-Quads. */
async function optionsNQuads(identifier: Canonicalizer, options: Json): Promise<string> {
  const { created } = options;
  const isUsual = Object.keys(options).sort().join() === usual;
  if (!isUsual || typeof created !== 'string' || !wholeSeconds.test(created))
    return await nquads(identifier, options);
  const cache = caches.get(identifier) ?? new LRUCache(kept);
  caches.set(identifier, cache);
  const probe = { ...options, created: anyTime };
  const key = jcs(probe);
  const text = cache.get(key) ?? (await nquads(identifier, probe));
  const [before, after, ...more] = text.split(literal(anyTime));
  if (after === undefined || more.length > 0) return await nquads(identifier, options);
  cache.set(key, text);
  return `${before}${literal(created)}${after}`;
}
