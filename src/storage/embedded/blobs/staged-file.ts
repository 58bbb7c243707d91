import { randomUUID } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { mkdir, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { StagedUpload } from '../../staged-upload.ts';
import { storageError } from '../errors.ts';
import { syncNames } from './blob-places.ts';
import { earlySyncs } from './early-syncs.ts';
import { fileSize } from './file-content.ts';

/** A file in the staging folder. It is renamed when its bytes are durable. */
export function stagedFile<Name>(
  staging: string,
  root: string,
  fileOf: (name: Name) => string,
): StagedUpload<Name> {
  const path = join(staging, randomUUID());
  const stream = createWriteStream(path, { flags: 'wx', mode: 0o600, flush: true });
  return new StagedUpload<Name>({
    stream,
    earlySync: earlySyncs(stream),
    async publish(name) {
      const target = fileOf(name);
      const isKnown = (await fileSize(target)) !== undefined;
      await mkdir(dirname(target), { recursive: true, mode: 0o700 });
      // Replacing a file of the same name repairs it if it is damaged.
      await rename(path, target);
      await syncNames(root, target);
      return isKnown ? 'known' : 'stored';
    },
    remove: () => rm(path, { force: true }),
    errorOf: storageError,
  });
}
