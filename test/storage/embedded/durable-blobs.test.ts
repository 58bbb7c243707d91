import { randomBytes } from 'node:crypto';
import fs, { readdirSync } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { join } from 'node:path';
import { afterEach, expect, test, vi } from 'vitest';
import { smallContentBytes } from '../../../src/domain/bucket.ts';
import { openEmbedded } from '../../../src/storage/open.ts';
import { putBlob } from '../../contract/filled-store.ts';
import { temporaryFolder } from '../temporary-folder.ts';

afterEach(() => {
  vi.restoreAllMocks();
  syncBuiltinESMExports();
});

test('the bytes of a blob are synced to the disk before it gets its name', async () => {
  const path = await temporaryFolder();
  await using store = await openEmbedded(path);
  const namesAtSync: string[][] = [];
  const { fsync } = fs;
  vi.spyOn(fs, 'fsync').mockImplementation((file, callback) => {
    namesAtSync.push(readdirSync(join(path, 'blobs')));
    fsync(file, callback);
  });
  await putBlob(store.blobs, randomBytes(smallContentBytes + 1), 'blake3');
  expect(namesAtSync).toEqual([[]]);
  expect(readdirSync(join(path, 'blobs'))).toHaveLength(1);
});

test('a blob is refused when the disk fails while its first part is synced', async () => {
  const path = await temporaryFolder();
  await using store = await openEmbedded(path);
  const failure = Object.assign(new Error('EIO: i/o error, fdatasync'), {
    code: 'EIO',
    syscall: 'fdatasync',
  });
  vi.spyOn(fs, 'fdatasync').mockImplementationOnce((_file, callback) => setImmediate(callback, failure));
  syncBuiltinESMExports();
  const put = putBlob(store.blobs, randomBytes(40 << 20), 'blake3');
  await expect(put).rejects.toMatchObject({ code: 'unavailable' });
  for (const folder of ['staging', 'blobs']) expect(readdirSync(join(path, folder))).toEqual([]);
});
