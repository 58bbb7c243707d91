import { decodedBase64, decodedSize } from '../../base64.ts';
import { ServiceError } from '../../errors.ts';
import type { JsonSlice } from '../../json/json-cursor.ts';
import { inMemory, partOf } from '../../json/random-access.ts';
import { type Cid, makeCid, parseCid } from '../identifiers/cid.ts';
import { blake3Digest, hasher } from '../identifiers/hashing.ts';
import type { ManifestFile } from './file.ts';
import { failAt, placeIn } from './problem.ts';

export interface BlobBytes {
  readonly size: number;
  /** A stream from the start. @throws ServiceError if the base64 is not canonical. */
  readonly bytes: () => AsyncIterable<Uint8Array>;
}

export interface CarriedBlob extends BlobBytes {
  readonly place: string;
  /** Where it is in the file. */
  readonly slice: JsonSlice;
  /** The CID that the manifest gives. @throws ServiceError `invalid_cid`. */
  readonly cid: () => Cid;
}

const quote = 0x22;
/** Smaller blobs are read and hashed at once. */
const smallBytes = 1 << 18;

export async function* jsonBlobs(manifest: ManifestFile): AsyncGenerator<CarriedBlob> {
  const { json, blobs } = manifest;
  if (!blobs) return;
  for await (const { key, start, end } of json.members(blobs)) {
    const [place, slice] = [placeIn('blobs', key), { start, end }];
    yield { place, slice, cid: () => parseCid(key), ...(await jsonBlobAt(manifest, slice, place)) };
  }
}

/** @throws ServiceError if there is no JSON string. */
export async function jsonBlobAt(
  { file }: ManifestFile,
  { start, end }: JsonSlice,
  place: string,
): Promise<BlobBytes> {
  const value = partOf(file, start, end - start);
  const text = value.size > smallBytes ? value : inMemory(await value.read(0, value.size));
  if ((await text.read(0, 1))[0] !== quote) failAt(place, 'invalid_request', 'A blob must be a string.');
  return {
    size: await decodedSize(text, 1, text.size - 1),
    bytes: () => decodedBase64(text, 1, text.size - 1),
  };
}

/**
 * Verifies that the bytes of a blob have its CID.
 * @returns also the bytes of a small blob.
 * @throws ServiceError `cid_mismatch`, `invalid_cid`, `invalid_request`.
 */
export async function verifyBlob(blob: CarriedBlob): Promise<{ cid: Cid; bytes: Uint8Array | undefined }> {
  const cid = blob.cid();
  const bytes = blob.size <= smallBytes ? await wholeOf(blob) : undefined;
  const computed = makeCid(cid.codec, await digestOf(blob, cid, bytes), cid.multihash);
  if (computed.text === cid.text) return { cid, bytes };
  const message = `The CID of the bytes is ${computed.text}, not ${cid.text} as stated.`;
  throw new ServiceError('cid_mismatch', message);
}

export async function wholeOf({ bytes }: CarriedBlob): Promise<Uint8Array> {
  return Buffer.concat(await Array.fromAsync(bytes()));
}

/** A streaming hash is too expensive for a million small blobs. */
async function digestOf(blob: CarriedBlob, { multihash }: Cid, bytes: Uint8Array | undefined) {
  if (multihash === 'blake3' && bytes) return blake3Digest(bytes);
  const hash = hasher(multihash);
  if (bytes) hash.update(bytes);
  else for await (const chunk of blob.bytes()) hash.update(chunk);
  return hash.digest();
}
