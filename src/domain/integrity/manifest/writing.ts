import { encodedBase64 } from '../../base64.ts';
import { ServiceError } from '../../errors.ts';
import { chunksOf, type RandomAccess } from '../../json/random-access.ts';
import { readAll } from '../blobs/blob-store.ts';
import type { FoundBlob } from '../blobs/referenced-blobs.ts';
import { carHeader, sectionHead } from '../car/writing.ts';
import type { ContextKeeper } from '../contexts/contexts.ts';
import { type Cid, codecs, makeCid, parseCid } from '../identifiers/cid.ts';
import { hasher } from '../identifiers/hashing.ts';
import type { BlobContent, BlobStore } from '../ports.ts';
import { manifestVersion } from './file.ts';

export interface ManifestContent {
  readonly ports: {
    readonly blobs: Pick<BlobStore, 'read'>;
    readonly contexts: Pick<ContextKeeper, 'read'>;
  };
  /** CIDs of context documents by URL. */
  readonly documents: ReadonlyMap<string, string>;
  /** The members of `statements`, separated by commas. */
  readonly statements: RandomAccess;
  readonly blobs: readonly FoundBlob[];
  /** CIDs of stored anchors. */
  readonly anchors: readonly string[];
  /** Anchors that cover logs; undefined if the manifest does not claim to be complete. */
  readonly logAnchors: (() => Iterable<string>) | undefined;
  /** CIDs that the manifest lists, because nothing else in it names them. */
  readonly attached?: readonly string[];
}

const chunkBytes = 1 << 16;

/**
 * A manifest as JSON. The same content gives the same bytes: no white space, contexts sorted by URL, statements by id,
 * blobs by CID. Context documents and anchors are copied byte for byte.
 */
export function manifestJson(content: ManifestContent): AsyncGenerator<Uint8Array> {
  return inChunks(jsonParts(content));
}

async function* jsonParts(content: ManifestContent): AsyncGenerator<Uint8Array | string> {
  const { ports, documents, statements, blobs, logAnchors, attached = [] } = content;
  yield `{"version":"${manifestVersion}","contexts":{`;
  for (const [at, [url, cid]] of byKey(documents).entries()) {
    yield `${at > 0 ? ',' : ''}${JSON.stringify(url)}:`;
    yield await ports.contexts.read(cid);
  }
  yield '},"statements":{';
  yield* chunksOf(statements);
  yield '},"blobs":{';
  for (const [at, blob] of blobs.entries()) {
    yield `${at > 0 ? ',' : ''}"${blob.cid}":"`;
    yield* encodedBase64(blobBytes(ports.blobs, blob));
    yield '"';
  }
  yield '}';
  let opening = ',"anchors":[';
  for await (const anchor of anchorsOf(content)) {
    yield opening;
    yield anchor;
    opening = ',';
  }
  if (opening === ',') yield ']';
  if (logAnchors) yield ',"complete":true';
  if (attached.length > 0) yield `,"attachedBlobs":${JSON.stringify(attached)}`;
  yield '}';
}

async function* anchorsOf({ ports, anchors, logAnchors }: ManifestContent) {
  for (const cid of anchors) yield await anchorBytes(ports.blobs, cid);
  if (logAnchors) yield* logAnchors();
}

function byKey(documents: ReadonlyMap<string, string>): [string, string][] {
  return [...documents].sort(([one], [other]) => (one < other ? -1 : 1));
}

/** @throws ServiceError `unavailable` if the store has lost the blob in the meantime. */
async function* blobBytes(blobs: Pick<BlobStore, 'read'>, { cid, storedAs, size }: FoundBlob) {
  await using content = await openBlob(blobs, storedAs);
  if (content.size !== size)
    throw new ServiceError('unavailable', `The size of the blob ${cid} has changed. Run cairn fsck.`);
  yield* content.bytes;
}

async function openBlob(blobs: Pick<BlobStore, 'read'>, cid: string): Promise<BlobContent> {
  const content = await blobs.read(parseCid(cid));
  if (content) return content;
  throw new ServiceError('unavailable', `The blob ${cid} is missing. Run cairn fsck.`);
}

export const anchorLimit = 16 << 20;

async function anchorBytes(blobs: Pick<BlobStore, 'read'>, cid: string): Promise<Uint8Array> {
  return await readAll(await openBlob(blobs, cid), anchorLimit, () => {
    throw new ServiceError('unavailable', `The anchor ${cid} is damaged. Run cairn fsck.`);
  });
}

/** Joins small chunks, because many of them make a stream slow. */
async function* inChunks(parts: AsyncIterable<Uint8Array | string>): AsyncGenerator<Uint8Array> {
  let waiting: Uint8Array[] = [];
  let size = 0;
  for await (const part of parts) {
    const bytes = typeof part === 'string' ? Buffer.from(part) : part;
    waiting.push(bytes);
    size += bytes.length;
    if (size < chunkBytes) continue;
    yield waiting.length === 1 ? bytes : Buffer.concat(waiting);
    waiting = [];
    size = 0;
  }
  if (size > 0) yield Buffer.concat(waiting);
}

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
export async function nameOf(bytes: AsyncIterable<Uint8Array>): Promise<{ cid: Cid; size: number }> {
  const hash = hasher('blake3');
  let size = 0;
  for await (const chunk of bytes) {
    hash.update(chunk);
    size += chunk.length;
  }
  return { cid: makeCid(codecs.raw, hash.digest()), size };
}
