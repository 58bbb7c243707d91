import { open } from 'node:fs/promises';
import type { RandomAccess } from '../../domain/json/random-access.ts';

export async function openRandomAccess(path: string): Promise<RandomAccess & AsyncDisposable> {
  const file = await open(path);
  const { size } = await file.stat();
  return {
    size,
    async read(offset, length) {
      const wanted = Math.max(Math.min(length, size - offset), 0);
      const { buffer, bytesRead } = await file.read(Buffer.allocUnsafeSlow(wanted), 0, wanted, offset);
      return buffer.subarray(0, bytesRead);
    },
    [Symbol.asyncDispose]: () => file.close(),
  };
}
