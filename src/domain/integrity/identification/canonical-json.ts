import { parseStrictJson } from '../../json/strict-json.ts';
import { cidOf, codecs } from '../identifiers/cid.ts';
import { jcs } from './jcs.ts';

export interface CanonicalJson {
  /** RFC 8785 form in UTF-8. */
  readonly text: Uint8Array<ArrayBuffer>;
  readonly cid: string;
}

/** More take too much memory. */
const maxValues = 400_000;

/** The canonical form of any JSON. @throws ServiceError `invalid_json`, `too_deep`, `too_large`. */
export function canonicalJson(bytes: Uint8Array, maxDepth: number): CanonicalJson {
  const text = new TextEncoder().encode(
    jcs(parseStrictJson(bytes, { maxDepth, exactNumbers: false, maxValues })),
  );
  return { text, cid: cidOf(codecs.jcs, text).text };
}
