import { storedBatch } from '../../contract/integrity/statements.ts';
import { type ApiClient, answerJson, jsonBody } from '../client/api-client.ts';
import { storeBlobs } from '../client/store-blobs.ts';
import type { KnownBlob } from '../client/upload-blob.ts';
import type { Io } from '../terminal/io.ts';
import { openProgress } from '../terminal/progress.ts';

/** Everything that a recording stores. */
export interface Parcel {
  readonly graphId: string | null;
  readonly blobs: readonly KnownBlob[];
  /** RFC 8785 forms, with their ids. All are stored, or none. */
  readonly statements: readonly Uint8Array[];
}

/** Stores the blobs that the service lacks, and then the statements. @returns whether a statement was new. */
export async function storeParcel(
  io: Pick<Io, 'stderr'>,
  client: ApiClient,
  { graphId, blobs, statements }: Parcel,
): Promise<boolean> {
  await storeWithProgress(io, client, blobs);
  const fields = JSON.stringify({ generate_id: false, ...(graphId !== null && { graph_id: graphId }) });
  const list = statements.map((bytes) => Buffer.from(bytes).toString()).join(',');
  const body = `${fields.slice(0, -1)},"statements":[${list}]}`;
  const response = await client.send('PUT', '/statements/v1/batch', jsonBody(body));
  await answerJson(response, storedBatch);
  return response.status === 201;
}

async function storeWithProgress(io: Pick<Io, 'stderr'>, client: ApiClient, blobs: readonly KnownBlob[]) {
  const count = new Set(blobs.map(({ cid }) => cid.text)).size;
  using progress = openProgress(io, { total: count });
  let done = 0;
  const onStored = (stored: number) => {
    done += stored;
    progress.update(done, `storing ${done.toLocaleString('en')} of ${count.toLocaleString('en')} files`);
  };
  await storeBlobs(client, blobs, { onStored });
}
