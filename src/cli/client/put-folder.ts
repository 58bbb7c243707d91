import pMap from 'p-map';
import { encodeCollection } from '../../domain/integrity/blobs/iroh-collection.ts';
import { type Cid, cidOf, codecs } from '../../domain/integrity/identifiers/cid.ts';
import { fileChunks, fileCid, filesBelow, type NamedFile } from './local-files.ts';
import type { KnownBlob } from './upload-blob.ts';

const filesAtOnce = 4;

type Ensure = (blob: KnownBlob) => Promise<void>;

/** Stores every regular file below a folder, in the order of their names, and the iroh collection of them. */
export async function putFolder(
  ensure: Ensure,
  folder: string,
  progress: { readonly onBytes: (count: number) => void; readonly onSkipped: (name: string) => void },
) {
  const files = (await Array.fromAsync(filesBelow(folder, progress.onSkipped))).toSorted(byName);
  const naming = { codec: codecs.raw, multihash: 'blake3' } as const;
  const store = async ({ name, path }: NamedFile) => {
    const { cid, size } = await fileCid(path, naming, progress.onBytes);
    await ensure({ cid, size, bytes: () => fileChunks(path) });
    return { name, cid };
  };
  const stored = await pMap(files, store, { concurrency: filesAtOnce });
  const { metadata, root } = encodeCollection(stored.map(({ name, cid }) => ({ name, digest: cid.digest })));
  await ensureBytes(ensure, cidOf(codecs.raw, metadata), metadata);
  const collection = cidOf(codecs.hashSequence, root);
  await ensureBytes(ensure, collection, root);
  return { files: stored, collection };
}

async function ensureBytes(ensure: Ensure, cid: Cid, bytes: Uint8Array): Promise<void> {
  await ensure({
    cid,
    size: bytes.length,
    bytes: async function* () {
      yield bytes;
    },
  });
}

function byName(one: NamedFile, other: NamedFile): number {
  return one.name < other.name ? -1 : 1;
}
