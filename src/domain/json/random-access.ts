export interface RandomAccess {
  readonly size: number;
  /** Reads `length` bytes from `offset`, or fewer at the end. */
  read(offset: number, length: number): Promise<Uint8Array>;
}

const chunkBytes = 1 << 20;

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

export function partOf(source: RandomAccess, start: number, size: number): RandomAccess {
  return {
    size,
    read: (offset, length) => source.read(start + offset, Math.max(Math.min(length, size - offset), 0)),
  };
}

export function inMemory(bytes: Uint8Array): RandomAccess {
  return { size: bytes.length, read: async (offset, length) => bytes.subarray(offset, offset + length) };
}
