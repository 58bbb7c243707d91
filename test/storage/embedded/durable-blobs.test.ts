import fs, { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, test, vi } from 'vitest';
import { openEmbedded } from '../../../src/storage/embedded/open-embedded.ts';
import { putBlob } from '../../contract/filled-store.ts';
import { temporaryFolder } from '../temporary-folder.ts';

afterEach(() => void vi.restoreAllMocks());

test('the bytes of a blob are synced to the disk before it gets its name', async () => {
  const path = await temporaryFolder();
  await using store = await openEmbedded(path);
  const namesAtSync: string[][] = [];
  const { fsync } = fs;
  vi.spyOn(fs, 'fsync').mockImplementation((file, callback) => {
    namesAtSync.push(readdirSync(join(path, 'blobs')));
    fsync(file, callback);
  });
  await putBlob(store.blobs, Buffer.from('durable'), 'blake3');
  expect(namesAtSync).toEqual([[]]);
  expect(readdirSync(join(path, 'blobs'))).toHaveLength(1);
});
