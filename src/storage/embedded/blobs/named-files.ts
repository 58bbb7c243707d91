import { opendir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { NamedContents } from '../../../domain/named-contents.ts';
import { isMissingFile, storageError } from '../errors.ts';
import { storedFiles } from './blobs.ts';

/** The files of a folder by their names. */
export function namedFiles(staging: string, folder: string): NamedContents {
  const fileOf = (name: string) => join(folder, name);
  return {
    ...storedFiles(staging, folder, fileOf),
    async remove(name) {
      await rm(fileOf(name), { force: true }).catch((error: unknown) => {
        throw storageError(error);
      });
    },
    async *names() {
      try {
        for await (const entry of await opendir(folder)) if (!entry.isDirectory()) yield entry.name;
      } catch (error) {
        if (!isMissingFile(error)) throw storageError(error);
      }
    },
  };
}
