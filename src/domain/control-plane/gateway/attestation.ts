import { cidIn } from '../../integrity/identifiers/cid.ts';
import { isObject } from '../../json/is-object.ts';
import { parseStrictJson } from '../../json/strict-json.ts';
import { at, failAt } from './sent-bytes.ts';

/** The most CIDs that one attestation references. */
export const mostChildren = 10_000;
const maxValues = 1_000_000;

const pointer = '/attestation';

/**
 * The CIDs that an attestation references directly: each member name and each text in its JSON that is a CID, bare or
 * after `urn:cid:`. Other media types than JSON reference nothing.
 * @throws ServiceError `invalid_json`, `too_deep`, `too_large`, `too_complex`, with a pointer into the record.
 */
export function childrenOf(bytes: Uint8Array, contentType: string, maxDepth: number): string[] {
  if (!/^application\/(?:[\w.+-]+\+)?json(?:;|$)/i.test(contentType)) return [];
  const options = { maxDepth, exactNumbers: false, maxValues };
  const found = new Set<string>();
  collect(
    at(pointer, () => parseStrictJson(bytes, options)),
    found,
  );
  return [...found];
}

function collect(value: unknown, found: Set<string>): void {
  if (typeof value === 'string') add(value, found);
  else if (Array.isArray(value)) for (const item of value) collect(item, found);
  else if (isObject(value))
    for (const [name, member] of Object.entries(value)) {
      add(name, found);
      collect(member, found);
    }
}

function add(text: string, found: Set<string>): void {
  const cid = cidIn(text);
  if (cid) found.add(cid.text);
  if (found.size > mostChildren)
    failAt(
      pointer,
      'too_complex',
      `references more than ${mostChildren} CIDs. Attest large states in parts, and reference these`,
    );
}
