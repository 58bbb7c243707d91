import { varint } from 'multiformats';
import { ServiceError } from '../../errors.ts';
import { blake3Digest, isBlake3 } from '../identifiers/hashing.ts';

/** A file of an iroh collection, with the BLAKE3-256 of its bytes. */
export interface CollectionEntry {
  readonly name: string;
  readonly digest: Uint8Array;
}

/** The two blobs of a collection (vocabulary, iroh collection). Its CID is the root's hash with codec 0x80. */
export interface EncodedCollection {
  readonly metadata: Uint8Array;
  readonly root: Uint8Array;
}

const header = new TextEncoder().encode('CollectionV0.');
const digestLength = 32;

/**
 * Encodes a collection. The names are sorted by their UTF-8 bytes.
 * @throws ServiceError `unexpected_content` for names that are repeated or not well-formed Unicode.
 */
export function encodeCollection(entries: readonly CollectionEntry[]): EncodedCollection {
  const sorted = entries
    .map(({ name, digest }) => ({ name: nameBytes(name), digest }))
    .sort((one, other) => Buffer.compare(one.name, other.name));
  assertDistinct(entries.map(({ name }) => name));
  const names = sorted.flatMap(({ name }) => [encodeVarint(name.length), name]);
  const metadata = Uint8Array.from(Buffer.concat([header, encodeVarint(sorted.length), ...names]));
  const digests = sorted.map(({ digest }) => digest);
  if (digests.some(({ length }) => length !== digestLength)) fail('a file hash does not have 32 bytes');
  return { metadata, root: Uint8Array.from(Buffer.concat([blake3Digest(metadata), ...digests])) };
}

/**
 * The hashes in the root of a collection: of the metadata, then of each file.
 * @throws ServiceError `unexpected_content`.
 */
export function decodeCollectionRoot(root: Uint8Array): { metadata: Uint8Array; files: Uint8Array[] } {
  if (root.length === 0 || root.length % digestLength !== 0)
    fail(`its root has ${root.length} bytes, which is not a multiple of 32`);
  const [metadata, ...files] = Array.from({ length: root.length / digestLength }, (_, at) =>
    root.slice(at * digestLength, (at + 1) * digestLength),
  ) as [Uint8Array, ...Uint8Array[]];
  return { metadata, files };
}

/**
 * Decodes a collection from its two blobs, in the order of its hashes.
 * @throws ServiceError `unexpected_content` if they do not belong together or are malformed.
 */
export function decodeCollection({ metadata, root }: EncodedCollection): CollectionEntry[] {
  const { metadata: expected, files } = decodeCollectionRoot(root);
  if (!isBlake3(metadata, expected)) fail('the first hash in its root is not the hash of its metadata');
  const names = decodeNames(metadata);
  if (names.length !== files.length)
    fail(`its metadata names ${names.length} files, but its root has hashes of ${files.length}`);
  return files.map((digest, at) => ({ name: names[at] as string, digest }));
}

function decodeNames(metadata: Uint8Array): string[] {
  if (Buffer.compare(metadata.subarray(0, header.length), header) !== 0)
    fail('its metadata does not start with "CollectionV0."');
  const [count, first] = decodeVarint(metadata, header.length);
  const names: string[] = [];
  let at = first;
  // Each name takes at least one byte, so a false count runs out of bytes before memory.
  while (names.length < count) {
    const [length, start] = decodeVarint(metadata, at);
    at = start + length;
    if (at > metadata.length) fail('its metadata ends within a name');
    names.push(decodeName(metadata.subarray(start, at)));
  }
  if (at !== metadata.length) fail('its metadata continues after the last name');
  assertDistinct(names);
  return names;
}

function decodeName(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch (cause) {
    fail('a name is not UTF-8', cause);
  }
}

function nameBytes(name: string): Uint8Array {
  if (!name.isWellFormed()) fail('a name contains a lone surrogate');
  return new TextEncoder().encode(name);
}

function assertDistinct(names: readonly string[]): void {
  const seen = new Set<string>();
  for (const name of names) {
    if (seen.has(name)) fail(`the name ${JSON.stringify(name.slice(0, 120))} is repeated`);
    seen.add(name);
  }
}

function encodeVarint(value: number): Uint8Array {
  return varint.encodeTo(value, new Uint8Array(varint.encodingLength(value)));
}

/** Unsigned LEB128 in its shortest form. */
function decodeVarint(bytes: Uint8Array, at: number): [value: number, next: number] {
  try {
    const [value, length] = varint.decode(bytes, at);
    if (Number.isSafeInteger(value)) return [value, at + length];
  } catch (cause) {
    fail('a number in its metadata is cut off or not in its shortest form', cause);
  }
  fail('a number in its metadata is too large');
}

function fail(reason: string, cause?: unknown): never {
  throw new ServiceError('unexpected_content', `This is not an iroh collection: ${reason}.`, { cause });
}
