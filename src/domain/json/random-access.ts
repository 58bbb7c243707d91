/** Bytes of a known size that can be read anywhere, such as a file. */
export interface RandomAccess {
  readonly size: number;
  /** The bytes from `offset` on, `length` of them: fewer only where the whole ends. */
  read(offset: number, length: number): Promise<Uint8Array>;
}

const chunkBytes = 1 << 20;

/** Bytes from `start` to `end` in chunks, so that they are never held whole. */
export async function* chunksOf(
  source: RandomAccess,
  start = 0,
  end = source.size,
): AsyncGenerator<Uint8Array> {
  for (let at = start; at < end; ) {
    const chunk = await source.read(at, Math.min(chunkBytes, end - at));
    if (chunk.length === 0) throw new RangeError(`The bytes end at ${at} instead of ${end}.`);
    at += chunk.length;
    yield chunk;
  }
}

/** A part of other bytes. */
export function partOf(source: RandomAccess, start: number, size: number): RandomAccess {
  return {
    size,
    read: (offset, length) => source.read(start + offset, Math.max(Math.min(length, size - offset), 0)),
  };
}

/** Bytes that are in memory. */
export function inMemory(bytes: Uint8Array): RandomAccess {
  return { size: bytes.length, read: async (offset, length) => bytes.subarray(offset, offset + length) };
}
