import { PassThrough } from 'node:stream';
import { expect, test } from 'vitest';
import { stagedBytes } from '../../src/storage/staged-bytes.ts';

/** An upload to a place that has a name already, or not, or refuses it. */
function upload(publish: () => Promise<'stored' | 'known'>) {
  const target = new PassThrough().resume();
  const calls: string[] = [];
  const staged = stagedBytes({
    stream: target,
    async publish(name) {
      calls.push(`publish ${name}`);
      return await publish();
    },
    async remove() {
      calls.push('remove');
    },
    errorOf: (error) => error,
  });
  return { staged, calls };
}

test('what is stored stays, and what was known is removed', async () => {
  const fresh = upload(async () => 'stored');
  await fresh.staged.write(Buffer.from('abc'));
  expect(await fresh.staged.commit('a')).toBe('stored');
  await fresh.staged.discard();
  expect(fresh.calls).toEqual(['publish a']);
  const known = upload(async () => 'known');
  expect(await known.staged.commit('a')).toBe('known');
  await known.staged.discard();
  expect(known.calls).toEqual(['publish a', 'remove']);
});

test('what cannot be published is removed, and cannot be committed again', async () => {
  const { staged, calls } = upload(() => Promise.reject(new Error('full')));
  await expect(staged.commit('a')).rejects.toThrow('full');
  expect(calls).toEqual(['publish a', 'remove']);
  await expect(staged.commit('a')).rejects.toThrow('ended');
  await staged.discard();
  expect(calls).toEqual(['publish a', 'remove']);
});

test('what is discarded is removed once, and takes no more bytes', async () => {
  const { staged, calls } = upload(async () => 'stored');
  await staged.write(Buffer.from('abc'));
  await staged.discard();
  await staged.discard();
  expect(calls).toEqual(['remove']);
  await expect(staged.write(Buffer.from('d'))).rejects.toThrow('finished');
});
