import pMap from 'p-map';
import { encodeCollection } from '../../domain/integrity/blobs/iroh-collection.ts';
import { type Cid, cidOf, codecs } from '../../domain/integrity/identifiers/cid.ts';
import { fileBlob, filesBelow, type NamedFile, type OnSkipped } from './local-files.ts';
import { blobInMemory, type KnownBlob } from './upload-blob.ts';

const filesAtOnce = 4;

export interface HashedFolder {
  /** The regular files, by name. */
  readonly files: readonly { readonly name: string; readonly cid: Cid }[];
  readonly collection: Cid;
  /** The files, and the two blobs of their collection. */
  readonly blobs: readonly KnownBlob[];
}

/** Hashes every regular file below a folder, and makes the iroh collection of them. */
export async function hashFolder(
  folder: string,
  progress: { readonly onBytes: (count: number) => void; readonly onSkipped: OnSkipped },
): Promise<HashedFolder> {
  const found = await Array.fromAsync(filesBelow(folder, progress.onSkipped));
  const named = found.toSorted((one, other) => (one.name < other.name ? -1 : 1));
  const naming = { codec: codecs.raw, multihash: 'blake3' } as const;
  const hash = async ({ path }: NamedFile) => await fileBlob(path, naming, progress.onBytes);
  const hashed = await pMap(named, hash, { concurrency: filesAtOnce });
  const files = hashed.map(({ cid }, at) => ({ name: named[at]?.name ?? '', cid }));
  const { metadata, root } = encodeCollection(files.map(({ name, cid }) => ({ name, digest: cid.digest })));
  const collection = cidOf(codecs.hashSequence, root);
  const own = [blobInMemory(cidOf(codecs.raw, metadata), metadata), blobInMemory(collection, root)];
  return { files, collection, blobs: [...hashed, ...own] };
}
