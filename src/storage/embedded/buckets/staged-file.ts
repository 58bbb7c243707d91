import { randomUUID } from 'node:crypto';
import { createWriteStream, existsSync, fdatasync, type WriteStream } from 'node:fs';
import { mkdir, open, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import type { StagedBytes } from '../../../domain/bucket.ts';
import { stagedBytes, type UploadTarget } from '../../staged-bytes.ts';
import { storageError } from '../errors.ts';

/** A file in the staging folder. It is renamed when its bytes are durable. */
export function stagedFile(staging: string, root: string, fileOf: (name: string) => string): StagedBytes {
  const path = join(staging, randomUUID());
  const stream = createWriteStream(path, { flags: 'wx', mode: 0o600, flush: true });
  return stagedBytes({
    stream,
    earlySync: earlySyncs(stream),
    async publish(name) {
      const target = fileOf(name);
      const isKnown = existsSync(target);
      await mkdir(dirname(target), { recursive: true, mode: 0o700 });
      // Replacing a file of the same name repairs it if it is damaged.
      await rename(path, target);
      for (let folder = dirname(target); folder.length >= root.length; folder = dirname(folder))
        await syncFolder(folder);
      return isKnown ? 'known' : 'stored';
    },
    remove: () => rm(path, { force: true }),
    errorOf: storageError,
  });
}

/** Makes the names of its files durable. */
export async function syncFolder(folder: string): Promise<void> {
  await using handle = await open(folder);
  await handle.sync();
}

/** A sync begins after this many bytes. */
const bytesAtOnce = 32 << 20;

/** Syncs a large file while it arrives, because one long sync at its end would hold up the writes of others. */
function earlySyncs(stream: WriteStream): UploadTarget['earlySync'] {
  let file: number | undefined;
  let unsynced = 0;
  let syncing: Promise<void> | undefined;
  stream.once('open', (opened) => {
    file = opened;
  });
  return {
    async written(bytes) {
      unsynced += bytes;
      if (file === undefined || unsynced < bytesAtOnce) return;
      unsynced = 0;
      await syncing;
      syncing = promisify(fdatasync)(file);
      syncing.catch(() => {});
    },
    // The system reports an error to one sync only, so the last one may not know of it.
    end: async () => await syncing,
  };
}
