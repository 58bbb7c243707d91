import type { ExportResults } from '../../../domain/integrity/manifest/ports.ts';
import { removeUploads } from '../blobs/blob-orphans.ts';
import { type BlobPlaces, isTemporary } from '../blobs/blob-places.ts';
import { storedFiles } from '../blobs/blobs.ts';
import { findFile } from '../blobs/file-content.ts';
import { translated, translatedEach } from '../errors.ts';

export function mongoExportResults(places: BlobPlaces): ExportResults {
  return {
    ...storedFiles(places, (name: string) => name),
    async remove(name) {
      const file = await findFile(places, name);
      if (file) await translated(() => removeUploads(places, [file._id]));
    },
    async *names() {
      const isNamed = { filename: { $type: 'string' } } as const;
      const found = places.files.find(isNamed, { projection: { filename: 1 } });
      for await (const { filename } of translatedEach(found)) if (!isTemporary(filename)) yield filename;
    },
  };
}
