import { open as openFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { blobFile, openFolderBuckets } from '../../../src/storage/embedded/buckets/folder-bucket.ts';
import { bucketsContract } from '../../contract/buckets.ts';
import { newFolder } from '../temporary-folder.ts';

const folders = { exportResults: 'exports', sealedContents: 'sealed' };

bucketsContract(async () => {
  const folder = await newFolder();
  return {
    buckets: await openFolderBuckets(folder),
    async damage(kind, name, how) {
      const path = kind === 'blobs' ? blobFile(join(folder, kind), name) : join(folder, folders[kind], name);
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
    [Symbol.asyncDispose]: () => rm(folder, { recursive: true }),
  };
});
