import { z } from 'zod';
import { collection, type RecordsOf } from '../../collections/collection.ts';
import { type UpgradeProgress, upgradePages } from '../../maintenance/upgrades/upgrades.ts';
import type { StateRecord, StateRecords } from './runtime-records.ts';

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

type StateWithBlobs = Pick<StateRecord, 'id' | 'agentId' | 'blobs'>;

/** The records of the blobs of states. */
export function stateBlobsOf(states: readonly StateWithBlobs[]) {
  return states.flatMap(({ id: stateId, agentId, blobs }) =>
    blobs.map(({ cid }) => ({ id: `${stateId} ${cid}`, cid, agentId, stateId })),
  );
}

/** Records the blobs of stored states. Repeats are harmless. */
export async function indexBlobs(
  records: Pick<StateBlobs, 'insert'>,
  states: readonly StateWithBlobs[],
): Promise<void> {
  const entries = stateBlobsOf(states);
  for (let at = 0; at < entries.length; at += insertedAtOnce)
    await records.insert(entries.slice(at, at + insertedAtOnce));
}

const statesAtOnce = 500;

/** Indexes the blobs of all stored states. @param position of the page after which it goes on. */
export function indexStoredBlobs(
  {
    states,
    stateBlobs,
  }: {
    readonly states: Pick<StateRecords, 'page'>;
    readonly stateBlobs: Pick<StateBlobs, 'insert'>;
  },
  position: string | null,
): AsyncGenerator<UpgradeProgress> {
  return upgradePages(
    (after) => states.page('key', [], { after, limit: statesAtOnce }),
    (page) => indexBlobs(stateBlobs, page),
    position,
  );
}
