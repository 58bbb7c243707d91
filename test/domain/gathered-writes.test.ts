import { setImmediate } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { GatheredWrites } from '../../src/domain/integrity/blobs/gathered-writes.ts';

/** A store whose writes end when the test says so. */
function slowStore() {
  const written: string[] = [];
  const running: PromiseWithResolvers<void>[] = [];
  const writes = new GatheredWrites((bytes) => {
    written.push(Buffer.from(bytes).toString());
    const write = Promise.withResolvers<void>();
    running.push(write);
    return write.promise;
  });
  return { writes, written, running };
}

test('chunks that arrive during a write are written together, in order', async () => {
  const { writes, written, running } = slowStore();
  for (const chunk of ['a', 'b', 'c']) await writes.add(Buffer.from(chunk));
  const ended = writes.end();
  expect(written).toEqual(['a']);
  running[0]?.resolve();
  await expect.poll(() => written).toEqual(['a', 'bc']);
  running[1]?.resolve();
  await ended;
});

test('a chunk that arrives alone is written at once', async () => {
  const { writes, written, running } = slowStore();
  for (const [at, chunk] of ['a', 'b'].entries()) {
    await writes.add(Buffer.from(chunk));
    running[at]?.resolve();
    await setImmediate();
  }
  expect(written).toEqual(['a', 'b']);
});

test('a slow store stops its client after 512 KiB', async () => {
  const { writes, running } = slowStore();
  const chunk = Buffer.alloc(64 << 10);
  await writes.add(chunk);
  for (let waiting = 0; waiting < 7; waiting += 1) await writes.add(chunk);
  let isAdded = false;
  const added = writes.add(chunk).then(() => {
    isAdded = true;
  });
  await setImmediate();
  expect(isAdded).toBe(false);
  running[0]?.resolve();
  await added;
});

test('a failed write fails the next chunk and the end', async () => {
  const { writes, running } = slowStore();
  await writes.add(Buffer.from('a'));
  running[0]?.reject(new Error('The disk is full.'));
  await setImmediate();
  await expect(writes.add(Buffer.from('b'))).rejects.toThrow('full');
  await expect(writes.end()).rejects.toThrow('full');
});
