import { randomUUID } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { mkdir, rename, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { StagedUpload } from '../../staged-upload.ts';
import { isMissingFile, storageError } from '../errors.ts';
import { syncNames } from './blob-places.ts';

/** Where the file of a name is to be, and the folder below which its names have to be durable. */
export interface FileNaming<Name> {
  readonly root: string;
  fileOf(name: Name): string;
}

/** A file in the staging folder. It is renamed when all of it is on the disk. */
export function stagedFile<Name>(staging: string, { root, fileOf }: FileNaming<Name>): StagedUpload<Name> {
  const path = join(staging, randomUUID());
  return new StagedUpload<Name>({
    stream: createWriteStream(path, { flags: 'wx', mode: 0o600, flush: true }),
    async publish(name) {
      const target = fileOf(name);
      const isKnown = await exists(target);
      if (!isKnown) await moveTo(target, path);
      await syncNames(root, target);
      return isKnown ? 'known' : 'stored';
    },
    remove: () => rm(path, { force: true }),
    errorOf: storageError,
  });
}

async function moveTo(target: string, path: string): Promise<void> {
  try {
    await rename(path, target);
  } catch (error) {
    if (!isMissingFile(error)) throw error;
    await mkdir(dirname(target), { recursive: true, mode: 0o700 });
    await rename(path, target);
  }
}

async function exists(file: string): Promise<boolean> {
  try {
    await stat(file);
    return true;
  } catch (error) {
    if (isMissingFile(error)) return false;
    throw error;
  }
}
