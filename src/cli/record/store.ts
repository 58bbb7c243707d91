import pMap from 'p-map';
import { storedBatch } from '../../contract/integrity/statements.ts';
import { type ApiClient, answerJson, jsonBody } from '../client/api-client.ts';
import { ensureStored, isStored, type KnownBlob } from '../client/upload-blob.ts';
import type { Io } from '../terminal/io.ts';
import { openProgress } from '../terminal/progress.ts';

/** Everything that a recording stores. */
export interface Parcel {
  readonly graphId: string | null;
  readonly blobs: readonly KnownBlob[];
  /** RFC 8785 forms, with their ids. All are stored, or none. */
  readonly statements: readonly Uint8Array[];
}

/** Groups of small blobs, or large blobs, that are sent at once. */
const groupsAtOnce = 4;
const questionsAtOnce = 4;
const groupBlobs = 200;
const smallBytes = 1 << 15;

/** Stores the blobs that the service lacks, and then the statements. @returns whether a statement was new. */
export async function storeParcel(
  io: Pick<Io, 'stderr'>,
  client: ApiClient,
  { graphId, blobs, statements }: Parcel,
): Promise<boolean> {
  await storeBlobs(io, client, blobs);
  const fields = JSON.stringify({ generate_id: false, ...(graphId !== null && { graph_id: graphId }) });
  const list = statements.map((bytes) => Buffer.from(bytes).toString()).join(',');
  const body = `${fields.slice(0, -1)},"statements":[${list}]}`;
  const response = await client.send('PUT', '/statements/v1/batch', jsonBody(body));
  await answerJson(response, storedBatch);
  return response.status === 201;
}

async function storeBlobs(io: Pick<Io, 'stderr'>, client: ApiClient, blobs: readonly KnownBlob[]) {
  const distinct = [...new Map(blobs.map((blob) => [blob.cid.text, blob])).values()];
  using progress = openProgress(io, { total: distinct.length });
  let done = 0;
  const total = distinct.length.toLocaleString('en');
  const store = async (group: readonly KnownBlob[]) => {
    await storeGroup(client, group);
    done += group.length;
    progress.update(done, `storing ${done.toLocaleString('en')} of ${total} files`);
  };
  const large = distinct.filter((blob) => !isSmall(blob));
  const groups = [...groupsOf(distinct.filter(isSmall)), ...large.map((blob) => [blob])];
  await pMap(groups, store, { concurrency: groupsAtOnce });
}

function isSmall({ size }: KnownBlob): boolean {
  return size <= smallBytes;
}

function groupsOf(blobs: readonly KnownBlob[]): KnownBlob[][] {
  return Array.from({ length: Math.ceil(blobs.length / groupBlobs) }, (_, at) =>
    blobs.slice(at * groupBlobs, (at + 1) * groupBlobs),
  );
}

/** Sends the missing blobs of a group as one CAR, because a request for each of many files takes long. */
async function storeGroup(client: ApiClient, blobs: readonly KnownBlob[]): Promise<void> {
  const [only, ...others] = blobs;
  if (only && others.length === 0) return await ensureStored(client, only);
  const stored = await pMap(blobs, (blob) => isStored(client, blob.cid), { concurrency: questionsAtOnce });
  const missing = blobs.filter((_, at) => !stored[at]);
  const [first] = missing;
  if (!first) return;
  // Imported here, because every command would load it.
  const { carHeader, sectionHead } = await import('../../domain/integrity/car/writing.ts');
  const parts: Uint8Array[] = [carHeader(first.cid)];
  for (const { cid, bytes } of missing) {
    const content = Buffer.concat(await Array.fromAsync(bytes()));
    parts.push(sectionHead(cid, content.length), content);
  }
  const body = Buffer.concat(parts);
  const headers = { 'content-type': 'application/vnd.ipld.car' };
  const response = await client.send('PUT', '/store/v1/blob/batch', { headers, body: () => body });
  await response.body?.cancel();
}
