import { z } from 'zod';
import { collection, type RecordsOf } from '../../collections/collection.ts';
import { eachRecord } from '../../collections/records.ts';

/** Blobs that a manifest brought into a graph and that no statement names. The next manifest carries them again. */
export const attachedBlobs = collection('attached_blobs', {
  shape: z.object({ id: z.string(), graphId: z.string(), cid: z.string() }),
  key: 'id',
  indexes: { byGraph: ['graphId', 'cid'] },
});

export type AttachedBlobs = RecordsOf<typeof attachedBlobs>;

const insertedAtOnce = 500;
/** All records are read for more graphs. */
const graphsAsked = 100;

/** Repeats are harmless. */
export async function attachBlobs(
  records: Pick<AttachedBlobs, 'insert'>,
  graphId: string,
  cids: readonly string[],
): Promise<void> {
  for (let at = 0; at < cids.length; at += insertedAtOnce) {
    const some = cids.slice(at, at + insertedAtOnce);
    await records.insert(some.map((cid) => ({ id: `${graphId} ${cid}`, graphId, cid })));
  }
}

/** The CIDs of the blobs that are attached to these graphs. */
export async function* blobsAttachedTo(
  records: Pick<AttachedBlobs, 'page'>,
  graphIds: readonly string[],
): AsyncGenerator<string> {
  if (graphIds.length <= graphsAsked) {
    for (const graphId of graphIds)
      for await (const { cid } of eachRecord(records, 'byGraph', [graphId])) yield cid;
    return;
  }
  const wanted = new Set(graphIds);
  for await (const { graphId, cid } of eachRecord(records, 'key', [])) if (wanted.has(graphId)) yield cid;
}
