import { decodedBase64, decodedSize } from '../../base64.ts';
import { ServiceError } from '../../errors.ts';
import { inMemory, partOf } from '../../json/random-access.ts';
import { type Cid, makeCid, parseCid } from '../identifiers/cid.ts';
import { blake3Digest, hasher } from '../identifiers/hashing.ts';
import type { ManifestFile } from './file.ts';
import { placeIn, refuseAt } from './problem.ts';

export interface CarriedBlob {
  readonly place: string;
  /** The CID that the manifest gives. @throws ServiceError `invalid_cid`. */
  readonly cid: () => Cid;
  readonly size: number;
  /** A stream from the start. @throws ServiceError if the base64 is not canonical. */
  readonly bytes: () => AsyncIterable<Uint8Array>;
}

const quote = 0x22;
/** Smaller blobs are read and hashed at once. */
const smallBytes = 1 << 18;

export async function* jsonBlobs({ file, json, blobs }: ManifestFile): AsyncGenerator<CarriedBlob> {
  if (!blobs) return;
  for await (const { key, start, end } of json.members(blobs)) {
    const place = placeIn('blobs', key);
    const value = partOf(file, start, end - start);
    const text = value.size > smallBytes ? value : inMemory(await value.read(0, value.size));
    if ((await text.read(0, 1))[0] !== quote) refuseAt(place, 'invalid_request', 'A blob must be a string.');
    yield {
      place,
      cid: () => parseCid(key),
      size: await decodedSize(text, 1, text.size - 1),
      bytes: () => decodedBase64(text, 1, text.size - 1),
    };
  }
}

/**
 * Verifies that the bytes of a blob have its CID.
 * @throws ServiceError `cid_mismatch`, `invalid_cid`, `invalid_request`.
 */
export async function verifyBlob(blob: CarriedBlob): Promise<Cid> {
  const cid = blob.cid();
  const computed = makeCid(cid.codec, await digestOf(blob, cid), cid.multihash);
  if (computed.text === cid.text) return cid;
  throw new ServiceError(
    'cid_mismatch',
    `The CID of the bytes is ${computed.text}, not ${cid.text} as stated.`,
  );
}

/** A streaming hash is too expensive for a million small blobs. */
async function digestOf({ size, bytes }: CarriedBlob, { multihash }: Cid): Promise<Uint8Array> {
  if (multihash === 'blake3' && size <= smallBytes)
    return blake3Digest(Buffer.concat(await Array.fromAsync(bytes())));
  const hash = hasher(multihash);
  for await (const chunk of bytes()) hash.update(chunk);
  return hash.digest();
}
