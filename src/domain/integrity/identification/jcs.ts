import canonicalize from 'canonicalize';
import { parseStrictJson } from '../../json/strict-json.ts';
import { cidOf, codecs } from '../identifiers/cid.ts';

/** RFC 8785 JSON Canonicalization Scheme. @throws Error for `undefined`, NaN, infinities and lone surrogates. */
export function jcs(value: unknown): string {
  const text = canonicalize(value);
  if (text === undefined) throw new TypeError('undefined has no JSON form.');
  return text;
}

export interface CanonicalJson {
  /** RFC 8785 form in UTF-8. */
  readonly text: Uint8Array<ArrayBuffer>;
  readonly cid: string;
}

/** More take too much memory. */
const maxValues = 400_000;

/** The canonical form of any JSON. @throws ServiceError `invalid_json`, `too_deep`, `too_large`. */
export function canonicalJson(bytes: Uint8Array, maxDepth: number): CanonicalJson {
  const value = parseStrictJson(bytes, { maxDepth, exactNumbers: false, maxValues });
  const text = new TextEncoder().encode(jcs(value));
  return { text, cid: cidOf(codecs.jcs, text).text };
}
