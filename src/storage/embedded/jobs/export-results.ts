import type { Dirent } from 'node:fs';
import { readdir, rm } from 'node:fs/promises';
import type { ExportResults, StagedResult } from '../../../domain/integrity/manifest/ports.ts';
import type { BlobContent, ByteRange } from '../../../domain/integrity/ports.ts';
import { type BlobPlaces, resultFile } from '../blobs/blob-places.ts';
import { readFileRange } from '../blobs/file-content.ts';
import { stagedFile } from '../blobs/staged-file.ts';
import { isMissingFile, storageError } from '../errors.ts';

/** Exported manifests as files of a folder of their own. */
export class EmbeddedExportResults implements ExportResults {
  readonly #places: BlobPlaces;

  constructor(places: BlobPlaces) {
    this.#places = places;
  }

  async stage(): Promise<StagedResult> {
    const places = this.#places;
    return stagedFile(places.staging, {
      root: places.results,
      fileOf: (name: string) => resultFile(places, name),
    });
  }

  async read(name: string, range?: ByteRange): Promise<BlobContent | undefined> {
    return await readFileRange(resultFile(this.#places, name), range);
  }

  async remove(name: string): Promise<void> {
    try {
      await rm(resultFile(this.#places, name), { force: true });
    } catch (error) {
      throw storageError(error);
    }
  }

  async *names(): AsyncGenerator<string> {
    for (const entry of await this.#entries()) if (!entry.isDirectory()) yield entry.name;
  }

  async #entries(): Promise<Dirent[]> {
    try {
      return await readdir(this.#places.results, { withFileTypes: true });
    } catch (error) {
      if (isMissingFile(error)) return [];
      throw storageError(error);
    }
  }
}
