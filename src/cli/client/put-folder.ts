import pMap from 'p-map';
import { encodeCollection } from '../../domain/integrity/blobs/iroh-collection.ts';
import { cidOf, codecs } from '../../domain/integrity/identifiers/cid.ts';
import { fileChunks, fileCid, filesBelow, type NamedFile } from './local-files.ts';
import { blobInMemory, type KnownBlob } from './upload-blob.ts';

const filesAtOnce = 4;

/** Stores every regular file below a folder, in the order of their names, and the iroh collection of them. */
export async function putFolder(
  ensure: (blob: KnownBlob) => Promise<void>,
  folder: string,
  progress: { readonly onBytes: (count: number) => void; readonly onSkipped: (name: string) => void },
) {
  const found = await Array.fromAsync(filesBelow(folder, progress.onSkipped));
  const files = found.toSorted((one, other) => (one.name < other.name ? -1 : 1));
  const naming = { codec: codecs.raw, multihash: 'blake3' } as const;
  const store = async ({ name, path }: NamedFile) => {
    const { cid, size } = await fileCid(path, naming, progress.onBytes);
    await ensure({ cid, size, bytes: () => fileChunks(path) });
    return { name, cid };
  };
  const stored = await pMap(files, store, { concurrency: filesAtOnce });
  const { metadata, root } = encodeCollection(stored.map(({ name, cid }) => ({ name, digest: cid.digest })));
  await ensure(blobInMemory(cidOf(codecs.raw, metadata), metadata));
  const collection = cidOf(codecs.hashSequence, root);
  await ensure(blobInMemory(collection, root));
  return { files: stored, collection };
}
