import { expect, test } from 'vitest';
import { pooledBytes, recycle, takeBuffer } from '../../src/domain/buffer-pool.ts';

test('a recycled buffer is taken again', () => {
  const buffer = takeBuffer();
  recycle(buffer.subarray(10, 20));
  const again = takeBuffer();
  expect(again.buffer).toBe(buffer.buffer);
  expect(again.length).toBe(pooledBytes);
});

test('a buffer that was recycled twice is taken once', () => {
  const buffer = takeBuffer();
  recycle(buffer);
  recycle(buffer);
  expect(takeBuffer().buffer).not.toBe(takeBuffer().buffer);
});

test('bytes from elsewhere are never taken', () => {
  const foreign = Buffer.allocUnsafeSlow(pooledBytes);
  recycle(foreign);
  const taken = Array.from({ length: 20 }, takeBuffer);
  expect(taken.some(({ buffer }) => buffer === foreign.buffer)).toBe(false);
});
