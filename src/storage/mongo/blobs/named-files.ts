import type { NamedContents } from '../../../domain/named-contents.ts';
import { translated, translatedEach } from '../errors.ts';
import { removeUploads } from './blob-orphans.ts';
import type { BlobPlaces } from './blob-places.ts';
import { storedFiles } from './blobs.ts';
import { findFile } from './file-content.ts';

/** The files of a bucket by their names. */
export function namedFiles(places: BlobPlaces): NamedContents {
  return {
    ...storedFiles(places, (name: string) => name),
    async remove(name) {
      const file = await findFile(places, name);
      if (file) await translated(() => removeUploads(places, [file._id]));
    },
    async *names() {
      const isNamed = { filename: { $type: 'string' } } as const;
      const found = places.files.find(isNamed, { projection: { filename: 1 } });
      for await (const { filename } of translatedEach(found)) yield filename;
    },
  };
}
