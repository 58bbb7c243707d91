/*
 * The positions of entries: for each one a number of seven bits in a byte, the lowest first, all but the last with the high
 * bit set. 0 means that the entry has no position. Otherwise it is what the position exceeds the one before by, of those in the
 * same text.
 */
const bits = 7;
const more = 1 << bits;

/** @param positions growing, with null for entries that have none. */
export function packPositions(positions: readonly (number | null)[]): Buffer {
  const bytes: number[] = [];
  let last = 0;
  for (const position of positions) {
    let left = position === null ? 0 : position - last;
    if (position !== null) {
      if (left <= 0) throw new RangeError('Positions grow.');
      last = position;
    }
    for (; left >= more; left = Math.floor(left / more)) bytes.push((left % more) | more);
    bytes.push(left);
  }
  return Buffer.from(bytes);
}

/** @throws RangeError if the text does not end with an entry. */
export function unpackPositions(packed: Uint8Array): (number | null)[] {
  const positions: (number | null)[] = [];
  let [last, value, scale] = [0, 0, 1];
  for (const byte of packed) {
    value += (byte % more) * scale;
    scale *= more;
    if (byte >= more) continue;
    if (value > 0) last += value;
    positions.push(value > 0 ? last : null);
    [value, scale] = [0, 1];
  }
  if (scale !== 1) throw new RangeError('The last position is cut off.');
  return positions;
}
