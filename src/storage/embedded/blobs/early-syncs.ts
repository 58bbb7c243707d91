import { fdatasync, type WriteStream } from 'node:fs';
import { promisify } from 'node:util';
import type { EarlySync } from '../../staged-upload.ts';

/** A sync begins after this many bytes. */
const bytesAtOnce = 32 << 20;

/** Syncs a large file while it arrives, because one long sync at its end would hold up the writes of others. */
export function earlySyncs(stream: WriteStream): EarlySync {
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
