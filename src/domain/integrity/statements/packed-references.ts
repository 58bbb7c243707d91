import { asBuffer } from '../identifiers/hashing.ts';
import { placeNumber, statementPlaces } from './places.ts';
import type { Reference } from './references.ts';

/**
 * References in short form, two items each. The first says where the statement refers from: the number of the place
 * (see `placeNumber`), or for other places the role. The second says to what: the position of the identifier in the JCS
 * text, or the identifier itself if the JCS spells it otherwise. References of large statements are never positions, so
 * that they can be read without the statement.
 */
export type PackedReferences = readonly (number | string)[];

/** References of statements with more bytes are kept as text. */
export const positionedBytes = 1 << 13;

export function packReferences(
  references: readonly Reference[],
  { kind, jcs }: { readonly kind: string; readonly jcs: string },
): PackedReferences {
  const isLarge = Buffer.byteLength(jcs) > positionedBytes;
  return references.flatMap(({ role, identifier }) => [
    placeNumber({ role, kind }) || role,
    isLarge ? identifier : (positionOf(identifier, jcs) ?? identifier),
  ]);
}

/** A quote ends the identifier, so it must not hold one. */
function positionOf(identifier: string, jcs: string): number | undefined {
  const at = identifier.includes('"') ? -1 : jcs.indexOf(`"${identifier}"`);
  return at < 0 ? undefined : at + 1;
}

/** @throws RangeError for references that do not fit the text. */
export function unpackReferences(packed: PackedReferences, jcs: string): Reference[] {
  const references: Reference[] = [];
  for (let at = 0; at < packed.length; at += 2) {
    const [from, to] = [packed[at], packed[at + 1]];
    const role = typeof from === 'string' ? from : statementPlaces[Number(from) - 1]?.role;
    const identifier = typeof to === 'string' ? to : textAt(jcs, Number(to));
    if (role === undefined || identifier === undefined) throw new RangeError('A reference has no place.');
    references.push({ identifier, role });
  }
  return references;
}

function textAt(jcs: string, start: number): string | undefined {
  const end = jcs.indexOf('"', start);
  return end >= start ? jcs.slice(start, end) : undefined;
}

/** The text of JCS bytes. */
export function jcsText(jcs: Uint8Array): string {
  return asBuffer(jcs).toString();
}
