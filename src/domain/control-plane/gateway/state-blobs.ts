import { z } from 'zod';
import { collection, type RecordsOf } from '../../collections/collection.ts';
import type { StateRecord } from './state-records.ts';

const name = z.string().min(1);

/** Which state records came with the bytes of a blob. Whether such a state opens them depends on its own record. */
export const stateBlobs = collection('state_blobs', {
  shape: z.object({
    /** Made of the ids of the state and the blob, so that a repeat stores nothing. */
    id: name,
    cid: name,
    agentId: name,
    /** The `id` of the state record. */
    stateId: name,
  }),
  key: 'id',
  indexes: { byCid: ['cid', 'agentId'] },
});

export type StateBlobs = RecordsOf<typeof stateBlobs>;

const insertedAtOnce = 500;

/** Records the blobs of stored states. Repeats are harmless. */
export async function indexBlobs(
  records: Pick<StateBlobs, 'insert'>,
  states: readonly Pick<StateRecord, 'id' | 'agentId' | 'blobs'>[],
): Promise<void> {
  const entries = states.flatMap(({ id: stateId, agentId, blobs }) =>
    blobs.map(({ cid }) => ({ id: `${stateId} ${cid}`, cid, agentId, stateId })),
  );
  for (let at = 0; at < entries.length; at += insertedAtOnce)
    await records.insert(entries.slice(at, at + insertedAtOnce));
}
