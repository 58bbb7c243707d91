import type { JsonObject } from '../../json/is-object.ts';
import { jcs } from '../identification/jcs.ts';
import { type Cid, cidOf, cidUrn, codecs } from '../identifiers/cid.ts';

/** A JSON document in RFC 8785 form, with its CID. */
export interface JcsDocument {
  readonly id: string;
  readonly cid: Cid;
  readonly text: string;
}

export function jcsDocument(value: JsonObject): JcsDocument {
  const text = jcs(value);
  const cid = cidOf(codecs.jcs, text);
  return { id: cidUrn(cid), cid, text };
}
