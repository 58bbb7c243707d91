import { randomBytes } from 'node:crypto';
import { ObjectId } from 'mongodb';

const process = randomBytes(4);
let last = 0;

/**
 * A new position in the order of storing: 8 bytes of microseconds since 1970 and 4 random bytes of this process.
 * Positions of a process always grow, even if the clock stands still or goes back.
 */
export function nextPosition(now: Date): ObjectId {
  last = Math.max(last + 1, now.getTime() * 1_000);
  const bytes = Buffer.alloc(12);
  bytes.writeBigUInt64BE(BigInt(last));
  bytes.set(process, 8);
  return new ObjectId(bytes);
}

/** The first position of a microsecond. */
export function firstPosition(microseconds: number): ObjectId {
  const bytes = Buffer.alloc(12);
  bytes.writeBigUInt64BE(BigInt(microseconds));
  return new ObjectId(bytes);
}

/** The microseconds of a position. */
export function microsecondsOf({ id }: ObjectId): number {
  return Number(Buffer.from(id.buffer, id.byteOffset, id.byteLength).readBigUInt64BE());
}

/** Reads a position from its hexadecimal digits; undefined when the text is not one. */
export function positionIn(text: string): ObjectId | undefined {
  return /^[0-9a-f]{24}$/.test(text) ? ObjectId.createFromHexString(text) : undefined;
}
