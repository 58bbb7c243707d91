import type { JsonObject } from '../../json/is-object.ts';
import { jcs } from '../identification/jcs.ts';
import { sha256Digest } from '../identifiers/hashing.ts';
import { proofFails } from './proof.ts';

/**
 * What eddsa-jcs-2022 signs: SHA-256 of the proof options, then SHA-256 of the document, both in RFC 8785 form
 * (Data Integrity EdDSA Cryptosuites 1.0, 3.3.4).
 * @param options the proof without its signature.
 * @throws ProofProblem
 */
export function jcsData(document: JsonObject, options: JsonObject): Buffer {
  const { '@context': context } = options;
  const content = context === undefined ? document : { ...document, '@context': context };
  if (!startsWith(document['@context'], context)) proofFails({ code: 'context_differs' });
  try {
    return Buffer.concat([options, content].map((value) => sha256Digest(jcs(value))));
  } catch {
    proofFails({ code: 'no_jcs_form' });
  }
}

function startsWith(context: unknown, start: unknown): boolean {
  const [all, first] = [context, start].map((value) =>
    value === undefined ? [] : Array.isArray(value) ? value : [value],
  ) as [unknown[], unknown[]];
  return first.every((value, at) => at < all.length && jcs(value) === jcs(all[at]));
}
