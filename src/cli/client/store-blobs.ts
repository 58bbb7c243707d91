import pMap from 'p-map';
import { type blobQuestion, missingBlobs } from '../../contract/integrity/blobs.ts';
import { smallContentBytes } from '../../domain/bucket.ts';
import { hasher } from '../../domain/integrity/identifiers/hashing.ts';
import { type ApiClient, answerJson, jsonBody } from './api-client.ts';
import { failChanged, type KnownBlob, storeKnown } from './upload-blob.ts';

const pagesAtOnce = 3;
const largeAtOnce = 2;
/** The most CIDs in a question. */
const pageBlobs = 1_000;
const groupBytes = 4 << 20;

/**
 * Stores the blobs that the service lacks. It is asked for many at once, and small ones go together, because a request for
 * each of 100,000 files takes minutes.
 * @param options.again sends all of them, which repairs damaged ones.
 * @throws Failure if a file has changed since it was hashed.
 */
export async function storeBlobs(
  client: ApiClient,
  blobs: readonly KnownBlob[],
  options: { readonly again?: boolean; readonly onStored?: (count: number) => void } = {},
): Promise<void> {
  const { again = false, onStored } = options;
  const distinct = [...new Map(blobs.map((blob) => [blob.cid.text, blob])).values()];
  const storePage = async (page: readonly KnownBlob[]) => {
    const wanted = again ? page : await missingOf(client, page);
    onStored?.(page.length - wanted.length);
    for (const group of groupsOf(wanted.filter(isSmall))) {
      await storeGroup(client, group);
      onStored?.(group.length);
    }
    const storeLarge = async (blob: KnownBlob) => {
      await storeKnown(client, blob);
      onStored?.(1);
    };
    await pMap(
      wanted.filter((blob) => !isSmall(blob)),
      storeLarge,
      { concurrency: largeAtOnce },
    );
  };
  await pMap(pagesOf(distinct), storePage, { concurrency: pagesAtOnce });
}

/** Larger blobs have a request each. */
function isSmall({ size }: KnownBlob): boolean {
  return size <= smallContentBytes;
}

function pagesOf(blobs: readonly KnownBlob[]): KnownBlob[][] {
  const pages = Math.ceil(blobs.length / pageBlobs);
  return Array.from({ length: pages }, (_, at) => blobs.slice(at * pageBlobs, (at + 1) * pageBlobs));
}

function groupsOf(blobs: readonly KnownBlob[]): KnownBlob[][] {
  const groups: KnownBlob[][] = [];
  let bytes = groupBytes;
  for (const blob of blobs) {
    if (bytes + blob.size > groupBytes) {
      groups.push([]);
      bytes = 0;
    }
    groups.at(-1)?.push(blob);
    bytes += blob.size;
  }
  return groups;
}

async function missingOf(client: ApiClient, blobs: readonly KnownBlob[]): Promise<KnownBlob[]> {
  const body = jsonBody<typeof blobQuestion>({ cids: blobs.map(({ cid }) => cid.text) });
  const { missing } = await answerJson(await client.send('POST', '/store/v1/missing', body), missingBlobs);
  const names = new Set(missing);
  return blobs.filter(({ cid }) => names.has(cid.text));
}

/** Sends small blobs as one CAR. */
async function storeGroup(client: ApiClient, blobs: readonly KnownBlob[]): Promise<void> {
  const [first, ...others] = blobs;
  if (!first) return;
  if (others.length === 0) return await storeKnown(client, first);
  // Imported here, because every command would load it.
  const { carHeader, sectionHead } = await import('../../domain/integrity/car/writing.ts');
  const parts: Uint8Array[] = [carHeader(first.cid)];
  const contents = await pMap(blobs, contentOf, { concurrency: 16 });
  for (const [at, content] of contents.entries()) {
    const { cid } = blobs[at] as KnownBlob;
    parts.push(sectionHead(cid, content.length), content);
  }
  const body = Buffer.concat(parts);
  const headers = { 'content-type': 'application/vnd.ipld.car' };
  const response = await client.send('PUT', '/store/v1/blob/batch', { headers, body: () => body });
  await response.body?.cancel();
}

/** @throws Failure if the bytes have changed since they were hashed. */
async function contentOf(blob: KnownBlob): Promise<Uint8Array> {
  const content = Buffer.concat(await Array.fromAsync(blob.bytes()));
  const hash = hasher(blob.cid.multihash);
  hash.update(content);
  return Buffer.compare(hash.digest(), blob.cid.digest) === 0 ? content : failChanged(blob);
}
