import type { Page } from '../../collections/records.ts';
import type { UpgradeProgress } from '../../maintenance/upgrades/upgrades.ts';
import { indexBlobs, type StateBlobs } from './state-blobs.ts';
import type { StateRecord, StateRecords } from './state-records.ts';

const statesAtOnce = 500;

/** Indexes the blobs of all stored states. @param position of the page after which it goes on. */
export async function* indexStoredBlobs(
  {
    states,
    stateBlobs,
  }: {
    readonly states: Pick<StateRecords, 'page'>;
    readonly stateBlobs: Pick<StateBlobs, 'insert'>;
  },
  position: string | null,
): AsyncGenerator<UpgradeProgress> {
  let done = 0;
  for (let after: string | null | undefined = position; after !== undefined; ) {
    const page: Page<StateRecord> = await states.page('key', [], { after, limit: statesAtOnce });
    await indexBlobs(stateBlobs, page.records);
    done += page.records.length;
    if (page.next !== undefined) yield { done, position: page.next };
    after = page.next;
  }
}
