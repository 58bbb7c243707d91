import { open } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { DurableFolders } from '../../../src/storage/embedded/buckets/durable-folders.ts';
import { temporaryFolder } from '../temporary-folder.ts';

test('the names of files are synced each time, and those of folders once', async () => {
  const root = await temporaryFolder();
  const folders = new DurableFolders(root);
  const synced = await countSyncs(root);
  const added = async (...names: string[]) => {
    synced.mockClear();
    await folders.make(join(root, ...names));
    await folders.sync(join(root, ...names));
    return synced.mock.calls.length;
  };
  expect(await added('a', 'b')).toBe(3);
  expect(await added('a', 'b')).toBe(1);
  expect(await added('a', 'c')).toBe(2);
  expect(await added('d', 'b')).toBe(3);
  expect(await added()).toBe(1);
});

async function countSyncs(folder: string) {
  await using handle = await open(dirname(folder));
  return vi.spyOn(Object.getPrototypeOf(handle), 'sync');
}
