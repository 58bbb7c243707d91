import { chunksOf, type RandomAccess } from '../../json/random-access.ts';
import { carHeader, sectionHead } from '../car/writing.ts';
import { type Cid, codecs, makeCid, parseCid } from '../identifiers/cid.ts';
import { hasher } from '../identifiers/hashing.ts';
import { blobBytes, inChunks, type ManifestContent, manifestJson } from './json.ts';

/**
 * A manifest as a CAR v1. The root is a raw block: the JSON manifest without blobs, with a list of those that nothing else
 * in it names, so that no block can be added or removed unnoticed. Then follow all forms of the
 * statements (RFC 8785, under their `jcs_cid`), the context documents and the blobs.
 * @param statements the sections of the statements.
 */
export function manifestCar(content: ManifestContent, statements: RandomAccess): AsyncGenerator<Uint8Array> {
  return inChunks(carParts(content, statements));
}

async function* carParts(content: ManifestContent, statements: RandomAccess): AsyncGenerator<Uint8Array> {
  const { ports, documents, blobs } = content;
  const attached = blobs.filter(({ isAttached }) => isAttached).map(({ cid }) => cid);
  const rootContent = { ...content, blobs: [], attached };
  const root = await nameOf(manifestJson(rootContent));
  yield carHeader(root.cid);
  yield sectionHead(root.cid, root.size);
  yield* manifestJson(rootContent);
  yield* chunksOf(statements);
  const written = new Set(documents.values());
  for (const cid of [...written].sort()) {
    const bytes = await ports.contexts.read(cid);
    yield sectionHead(parseCid(cid), bytes.length);
    yield bytes;
  }
  for (const blob of blobs) {
    if (written.has(blob.cid)) continue;
    yield sectionHead(parseCid(blob.cid), blob.size);
    yield* blobBytes(ports.blobs, blob);
  }
}

/** A CAR starts with the CID of its root, so the root is generated twice. */
async function nameOf(bytes: AsyncIterable<Uint8Array>): Promise<{ cid: Cid; size: number }> {
  const hash = hasher('blake3');
  let size = 0;
  for await (const chunk of bytes) {
    hash.update(chunk);
    size += chunk.length;
  }
  return { cid: makeCid(codecs.raw, hash.digest()), size };
}
