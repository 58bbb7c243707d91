import type { Collection, RecordStore } from './collection.ts';
import { eachRecord } from './records.ts';

export async function removeExpired(
  store: RecordStore,
  collections: readonly Collection[],
  now: number,
): Promise<void> {
  for (const declared of collections) {
    const { expiry, key } = declared;
    if (expiry === null) continue;
    const records = store.of(declared);
    for await (const record of eachRecord(records, 'expiry', [], { range: { until: now + 1 } }))
      await records.remove(String(record[key]), { [expiry]: Number(record[expiry]) });
  }
}
