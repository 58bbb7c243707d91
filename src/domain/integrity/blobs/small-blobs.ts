import pMap from 'p-map';
import { smallContentBytes } from '../../bucket.ts';
import type { BlobStore, SmallBlob } from '../ports.ts';
import { storeBytes } from './upload.ts';

/** Blobs that are looked up and stored together. Each write changes most pages of the indexes by digest. */
const atOnce = 2_000;
const writesAtOnce = 3;

/** Stores the blobs that are missing or damaged: small ones together, and each other by itself. */
export async function storeMissing(
  blobs: Pick<BlobStore, 'size' | 'stage' | 'readSmall' | 'putSmall'>,
  given: readonly SmallBlob[],
): Promise<void> {
  const distinct = [...new Map(given.map((one) => [one.cid.text, one])).values()];
  const small = distinct.filter(({ bytes }) => bytes.length <= smallContentBytes);
  const starts = Array.from({ length: Math.ceil(small.length / atOnce) }, (_, at) => at * atOnce);
  await pMap(starts, (at) => storeSmall(blobs, small.slice(at, at + atOnce)), { concurrency: writesAtOnce });
  for (const { cid, bytes } of distinct)
    if (bytes.length > smallContentBytes && (await blobs.size(cid)) === undefined)
      await storeBytes(blobs, bytes, cid);
}

async function storeSmall(
  blobs: Pick<BlobStore, 'stage' | 'readSmall' | 'putSmall'>,
  given: readonly SmallBlob[],
): Promise<void> {
  const found = await blobs.readSmall(
    given.map(({ cid }) => cid),
    smallContentBytes,
  );
  const missing = given.filter((_, at) => !found[at]);
  const outcomes = missing.length > 0 ? await blobs.putSmall(missing) : [];
  for (const [at, { cid, bytes }] of missing.entries())
    if (outcomes[at] === 'known') await storeBytes(blobs, bytes, cid);
}
