import { hasher } from '../../../domain/integrity/identifiers/hashing.ts';
import { documentLimit } from '../../../domain/integrity/names/name.ts';
import type { DocumentReader } from '../../../domain/integrity/names/naming.ts';
import { blobName } from '../../blob-names.ts';
import { translated } from '../errors.ts';
import type { BlobPlaces } from './blob-places.ts';

/** Reads small blobs with two queries, or with one if there are none. Each has one chunk. */
export function mongoDocuments({ files, chunks }: BlobPlaces): DocumentReader {
  return async (cids) => {
    if (cids.length === 0) return [];
    const filename = { $in: cids.map(blobName) };
    const options = { projection: { filename: 1 } };
    const found = await translated(() =>
      files.find({ filename, length: { $gt: 0, $lte: documentLimit } }, options).toArray(),
    );
    if (found.length === 0) return cids.map(() => undefined);
    const names = new Map(found.map((file) => [file._id.toHexString(), file.filename]));
    const first = { files_id: { $in: found.map(({ _id }) => _id) }, n: 0 };
    const contents = new Map<string | undefined, Uint8Array>();
    for (const { files_id, data } of await translated(() => chunks.find(first).toArray()))
      contents.set(names.get(files_id.toHexString()), data as unknown as Uint8Array);
    return cids.map((cid) => {
      const bytes = contents.get(blobName(cid));
      return bytes instanceof Uint8Array && hashesTo(cid, bytes) ? bytes : undefined;
    });
  };
}

function hashesTo({ multihash, digest }: Parameters<typeof blobName>[0], bytes: Uint8Array): boolean {
  const hash = hasher(multihash);
  hash.update(bytes);
  return Buffer.compare(hash.digest(), digest) === 0;
}
