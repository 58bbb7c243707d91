import { ServiceError } from '../../errors.ts';
import type { JsonObject } from '../../json/is-object.ts';
import { credentialsV2 } from '../contexts/credentials.ts';
import { sha256Digest } from '../identifiers/hashing.ts';
import type { Identifier } from '../ports.ts';
import type { Canonicalizer } from './proof.ts';

/** The vocabulary for undefined terms that drafts of the credentials/v2 context had. */
const draftVocabulary = { '@vocab': 'https://www.w3.org/ns/credentials/issuer-dependent#' };

/** The two texts whose hashes these suites sign. */
export interface RdfcTexts {
  readonly options: string;
  readonly document: string;
}

/**
 * Canonical N-Quads of proof options and document.
 * @param options the proof without its signature.
 * @throws ServiceError `not_covered` if JSON-LD would drop members, so that the signature would not cover them.
 */
export async function rdfcTexts(
  identifier: Canonicalizer,
  document: JsonObject,
  options: JsonObject,
): Promise<RdfcTexts> {
  try {
    return await canonicalTexts(identifier, document, options);
  } catch (error) {
    const isNotCovered = error instanceof ServiceError && error.code === 'not_covered';
    if (!isNotCovered || !isOfDraft(document)) throw error;
  }
  const draft = contextsOf(document).flatMap((url) => (url === credentialsV2 ? [url, draftVocabulary] : url));
  return await canonicalTexts(identifier, { ...document, '@context': draft }, options);
}

/** What the suites sign, for many documents. @throws ServiceError `not_covered`. */
export async function rdfcDataToSign(
  identifier: Pick<Identifier, 'canonicalDigests'>,
  documents: readonly JsonObject[],
  options: JsonObject,
): Promise<Buffer[]> {
  // Many documents have the same contexts, and so the same options.
  const all = new Map(
    documents.map(({ '@context': context }) => [JSON.stringify(context), optionsIn(context, options)]),
  );
  const hashed = await identifier.canonicalDigests([...all.values(), ...documents].map(bytesOf));
  const names = [...all.keys()];
  return documents.map(({ '@context': context }, at) => {
    const own = hashed[names.indexOf(JSON.stringify(context))];
    return Buffer.concat([own, hashed[all.size + at]].filter((hash) => hash !== undefined));
  });
}

/**
 * What the suites that canonicalize with RDFC-1.0 sign: SHA-256 of the proof options, then SHA-256 of the document
 * (Data Integrity EdDSA Cryptosuites 1.0, 3.2.4).
 */
export function hashed({ options, document }: RdfcTexts): Buffer {
  return Buffer.concat([options, document].map(sha256Digest));
}

async function canonicalTexts(identifier: Canonicalizer, document: JsonObject, options: JsonObject) {
  const own = optionsIn(document['@context'], options);
  const [ofOptions = '', ofDocument = ''] = await identifier.canonicalNQuads([own, document].map(bytesOf));
  return { options: ofOptions, document: ofDocument };
}

/** The options of a proof in the contexts of its document. */
function optionsIn(context: unknown, options: JsonObject): JsonObject {
  return { ...options, ...(context !== undefined && { '@context': context }) };
}

function bytesOf(document: JsonObject): Uint8Array {
  return Buffer.from(JSON.stringify(document));
}

/** `issuanceDate` is not a term of the final credentials/v2. */
function isOfDraft(document: JsonObject): boolean {
  return 'issuanceDate' in document && contextsOf(document).includes(credentialsV2);
}

function contextsOf({ '@context': context }: JsonObject): unknown[] {
  return Array.isArray(context) ? context : [context];
}
