import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { ExportResults } from '../../../domain/integrity/manifest/ports.ts';
import type { BlobPlaces } from '../blobs/blob-places.ts';
import { storedFiles } from '../blobs/blobs.ts';
import { isMissingFile, storageError } from '../errors.ts';

export function embeddedExportResults({ staging, results }: BlobPlaces): ExportResults {
  const fileOf = (name: string) => join(results, name);
  return {
    ...storedFiles(staging, results, fileOf),
    async remove(name) {
      await rm(fileOf(name), { force: true }).catch((error: unknown) => {
        throw storageError(error);
      });
    },
    async *names() {
      try {
        const entries = await readdir(results, { withFileTypes: true });
        for (const entry of entries) if (!entry.isDirectory()) yield entry.name;
      } catch (error) {
        if (!isMissingFile(error)) throw storageError(error);
      }
    },
  };
}
