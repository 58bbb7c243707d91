import { placeNumber, statementPlaces } from './places.ts';
import type { Reference } from './references.ts';

/**
 * References in short form, two items each. The first says where the statement refers from: the number of the place
 * (see `placeNumber`), or for other places the role. The second says to what: the offset of the identifier in the JCS
 * bytes. It is the identifier itself if the JCS does not spell it like that, or is so large that references should be
 * readable without it.
 */
export type PackedReferences = readonly (number | string)[];

/** References of statements with more bytes are kept as text. */
export const positionedBytes = 1 << 13;

export function packReferences(
  references: readonly Reference[],
  { kind, jcs }: { readonly kind: string; readonly jcs: string },
): PackedReferences {
  const isLarge = jcs.length > positionedBytes || Buffer.byteLength(jcs) > positionedBytes;
  return references.flatMap(({ role, identifier }) => [
    placeNumber({ role, kind }) || role,
    isLarge ? identifier : (offsetOf(identifier, jcs) ?? identifier),
  ]);
}

function offsetOf(identifier: string, jcs: string): number | undefined {
  const at = plainText.test(identifier) ? jcs.indexOf(`"${identifier}"`) : -1;
  return at < 0 ? undefined : Buffer.byteLength(jcs.slice(0, at + 1));
}

/** ASCII without quotes, so that a quote ends it and each byte is a character. */
const plainText = /^[\x20-\x21\x23-\x7e]*$/;

/** @throws RangeError for references that do not fit the bytes. */
export function unpackReferences(
  packed: PackedReferences,
  { buffer, byteOffset, byteLength }: Uint8Array,
): Reference[] {
  const text = Buffer.from(buffer, byteOffset, byteLength).toString('latin1');
  const references: Reference[] = [];
  for (let at = 0; at < packed.length; at += 2) {
    const [from, to] = [packed[at], packed[at + 1]];
    const role = typeof from === 'string' ? from : statementPlaces[Number(from) - 1]?.role;
    const identifier = typeof to === 'string' ? to : textAt(text, Number(to));
    if (role === undefined || identifier === undefined) throw new RangeError('A reference has no place.');
    references.push({ identifier, role });
  }
  return references;
}

function textAt(text: string, start: number): string | undefined {
  const end = text.indexOf('"', start);
  return end >= start ? text.slice(start, end) : undefined;
}
