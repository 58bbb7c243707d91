import { smallContentBytes } from '../../bucket.ts';
import type { BlobStore, SmallBlob } from '../ports.ts';
import { storeBytes } from './upload.ts';

/** Blobs that are looked up and stored together. Others get a turn between. */
const atOnce = 1_000;

/** Stores the blobs that are missing or damaged: small ones together, and each other by itself. */
export async function storeMissing(
  blobs: Pick<BlobStore, 'size' | 'stage' | 'readSmall' | 'putSmall'>,
  given: readonly SmallBlob[],
): Promise<void> {
  const distinct = [...new Map(given.map((one) => [one.cid.text, one])).values()];
  const small = distinct.filter(({ bytes }) => bytes.length <= smallContentBytes);
  for (let at = 0; at < small.length; at += atOnce) {
    const some = small.slice(at, at + atOnce);
    const found = await blobs.readSmall(
      some.map(({ cid }) => cid),
      smallContentBytes,
    );
    const missing = some.filter((_, index) => !found[index]);
    const outcomes = missing.length > 0 ? await blobs.putSmall(missing) : [];
    for (const [index, { cid, bytes }] of missing.entries())
      if (outcomes[index] === 'known') await storeBytes(blobs, bytes, cid);
  }
  for (const { cid, bytes } of distinct)
    if (bytes.length > smallContentBytes && (await blobs.size(cid)) === undefined)
      await storeBytes(blobs, bytes, cid);
}
