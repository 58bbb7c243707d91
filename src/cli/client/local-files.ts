import { randomUUID } from 'node:crypto';
import { closeSync, constants, createReadStream, fstatSync, openSync, readFileSync } from 'node:fs';
import { open, readdir, rename, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Cid, makeCid } from '../../domain/integrity/identifiers/cid.ts';
import { hasher, type MultihashName } from '../../domain/integrity/identifiers/hashing.ts';
import type { RandomAccess } from '../../domain/json/random-access.ts';
import { yieldToEventLoop } from '../../domain/yield-to-event-loop.ts';
import type { KnownBlob } from './upload-blob.ts';

export interface NamedFile {
  /** Relative to the walked folder, with `/`. */
  readonly name: string;
  readonly path: string;
}

const chunkBytes = 1 << 18;

export function fileChunks(path: string): AsyncIterable<Uint8Array> {
  return createReadStream(path, { highWaterMark: chunkBytes });
}

export async function fileCid(
  path: string,
  { codec, multihash }: { codec: number; multihash: MultihashName },
  onBytes: (count: number) => void = () => undefined,
): Promise<{ cid: Cid; size: number }> {
  const hash = hasher(multihash);
  // A stream for each of many small files takes far longer than their bytes.
  const small = await smallFile(path);
  let size = 0;
  for await (const chunk of small ? [small] : fileChunks(path)) {
    hash.update(chunk);
    size += chunk.length;
    onBytes(chunk.length);
  }
  return { cid: makeCid(codec, hash.digest(), multihash), size };
}

/** A file with the hash of its bytes, which are read again when they are sent. */
export async function fileBlob(...[path, naming, onBytes]: Parameters<typeof fileCid>): Promise<KnownBlob> {
  const { cid, size } = await fileCid(path, naming, onBytes);
  return { cid, size, path, bytes: () => bytesOf(path) };
}

async function* bytesOf(path: string): AsyncGenerator<Uint8Array> {
  const small = await smallFile(path);
  if (small) yield small;
  else yield* fileChunks(path);
}

/** The bytes of a small regular file. Read at once, because the thread pool takes ten times as long as the disk. */
async function smallFile(path: string): Promise<Uint8Array | undefined> {
  await yieldToEventLoop();
  const file = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    const found = fstatSync(file);
    return found.isFile() && found.size <= chunkBytes ? readFileSync(file) : undefined;
  } finally {
    closeSync(file);
  }
}

/** What is left out of a folder, and why, as the end of a sentence. */
export type OnSkipped = (name: string, why: string) => void;

/** The store of a service, which stands in the current folder by default, has private keys beside its data. */
const filesOfStore = ['cairn.db', 'lock.db'];

/** All regular files below a folder. Links are not followed, and stores below it are left out. */
export async function* filesBelow(
  folder: string,
  onSkipped: OnSkipped,
  prefix = '',
): AsyncGenerator<NamedFile> {
  const entries = await readdir(folder, { withFileTypes: true });
  const names = new Set(entries.map(({ name }) => name));
  if (prefix !== '' && filesOfStore.every((name) => names.has(name))) {
    onSkipped(prefix.replace(/\/$/, ''), 'it is the store of a service, with its keys');
    return;
  }
  for (const entry of entries) {
    const path = join(folder, entry.name);
    const name = prefix + entry.name;
    if (entry.isDirectory()) yield* filesBelow(path, onSkipped, `${name}/`);
    else if (entry.isFile()) yield { name, path };
    else onSkipped(name, 'it is not a regular file');
  }
}

export type PathKind = 'file' | 'folder' | 'stream';

/** The kind of a path; undefined if it does not exist. Pipes and devices are streams, which can be read only once. */
export async function pathKind(path: string): Promise<PathKind | undefined> {
  const found = await stat(path).catch((error: NodeJS.ErrnoException) => {
    if (['ENOENT', 'ENOTDIR', 'ENAMETOOLONG'].includes(error.code ?? '')) return undefined;
    throw error;
  });
  if (!found) return undefined;
  if (found.isDirectory()) return 'folder';
  return found.isFile() ? 'file' : 'stream';
}

/** The names of what is in a folder, without folders. */
export async function fileNames(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { withFileTypes: true });
  return entries.filter((entry) => !entry.isDirectory()).map(({ name }) => name);
}

/** Writes a file that appears only when it is complete. Replaces one that exists. */
export async function writeWhole(path: string, content: string | AsyncIterable<Uint8Array>): Promise<void> {
  const part = `${path}.${randomUUID().slice(0, 8)}.part`;
  try {
    await writeFile(part, content, { flush: true });
    await rename(part, path);
  } finally {
    await rm(part, { force: true });
  }
}

export async function openRandomAccess(path: string): Promise<RandomAccess & AsyncDisposable> {
  const file = await open(path);
  const { size } = await file.stat();
  return {
    size,
    async read(offset, length) {
      const wanted = Math.max(Math.min(length, size - offset), 0);
      const { buffer, bytesRead } = await file.read(Buffer.allocUnsafeSlow(wanted), 0, wanted, offset);
      return buffer.subarray(0, bytesRead);
    },
    [Symbol.asyncDispose]: () => file.close(),
  };
}
