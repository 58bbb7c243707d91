import type { ExportResults, StagedResult } from '../../../domain/integrity/manifest/ports.ts';
import type { BlobContent, ByteRange } from '../../../domain/integrity/ports.ts';
import { removeUploads } from '../blobs/blob-orphans.ts';
import type { BlobPlaces } from '../blobs/blob-places.ts';
import { findFile, readFileRange } from '../blobs/file-content.ts';
import { stagedFile } from '../blobs/staged-file.ts';
import { isTemporary } from '../blobs/temporary-name.ts';
import { translated, translatedEach } from '../errors.ts';

/** Exported manifests in a bucket of their own. */
export class MongoExportResults implements ExportResults {
  readonly #places: BlobPlaces;

  constructor(places: BlobPlaces) {
    this.#places = places;
  }

  async stage(): Promise<StagedResult> {
    return stagedFile(this.#places, (name: string) => name);
  }

  async read(name: string, range?: ByteRange): Promise<BlobContent | undefined> {
    return await readFileRange(this.#places, name, range);
  }

  async remove(name: string): Promise<void> {
    const file = await findFile(this.#places, name);
    if (file) await translated(() => removeUploads(this.#places, [file._id]));
  }

  async *names(): AsyncGenerator<string> {
    const isNamed = { filename: { $type: 'string' } } as const;
    const found = this.#places.files.find(isNamed, { projection: { filename: 1 } });
    for await (const { filename } of translatedEach(found)) if (!isTemporary(filename)) yield filename;
  }
}
