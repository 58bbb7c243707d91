import { open as openFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { openFolderBuckets } from '../../../src/storage/embedded/buckets/folder-bucket.ts';
import { openEmbeddedDatabase } from '../../../src/storage/embedded/open-embedded.ts';
import { bucketsContract } from '../../contract/buckets.ts';
import { newFolder } from '../temporary-folder.ts';
import { changeBlob, inverted } from './stored-blobs.ts';

const folders = { exportResults: 'exports', sealedContents: 'sealed' };

bucketsContract(async () => {
  const folder = await newFolder();
  const database = await openEmbeddedDatabase(folder);
  return {
    buckets: await openFolderBuckets(folder, database.smallBlobs),
    async damage(kind, name, how) {
      if (kind === 'blobs') {
        changeBlob(folder, name, (bytes) => (how === 'flip' ? inverted(bytes) : bytes.subarray(0, -1)));
        return;
      }
      const path = join(folder, folders[kind], name);
      await using file = await openFile(path, 'r+');
      const { buffer } = await file.read(Buffer.alloc(1), 0, 1, 0);
      if (how === 'flip')
        await file.write(
          buffer.map((byte) => byte ^ 1),
          0,
          1,
          0,
        );
      else await file.truncate((await file.stat()).size - 1);
    },
    async [Symbol.asyncDispose]() {
      await database[Symbol.asyncDispose]();
      await rm(folder, { recursive: true });
    },
  };
});
