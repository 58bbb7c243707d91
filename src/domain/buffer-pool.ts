/** The size of every buffer of the pool. */
export const pooledBytes = 256 << 10;

/** Further idle buffers are left to the garbage collector. */
const mostIdle = 16;
const idle: Buffer[] = [];
const lent = new WeakSet<ArrayBufferLike>();

/**
 * Takes a buffer of any content. Allocating one for each chunk of a large file would keep V8 busy collecting garbage.
 * Taken buffers need not be recycled.
 */
export function takeBuffer(): Buffer {
  const buffer = idle.pop() ?? Buffer.allocUnsafeSlow(pooledBytes);
  lent.add(buffer.buffer);
  return buffer;
}

/** Returns the buffer of a chunk that nobody reads any more. Does nothing for bytes that are not from the pool. */
export function recycle({ buffer }: Uint8Array): void {
  if (lent.delete(buffer) && idle.length < mostIdle) idle.push(Buffer.from(buffer));
}
