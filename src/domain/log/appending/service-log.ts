import { serviceEntry } from '../entries.ts';
import { leafHash } from '../merkle/hashing.ts';
import { blindedName, logNames } from '../names.ts';
import { batchKey, type LogBatch, type LogRecords } from '../records.ts';
import { completeBatches, rootOfState } from './batches.ts';
import { logStates, statesOf } from './log-states.ts';

const headsAtOnce = 1_000;

/** Adds the heads of logs that have grown to the service log. @returns false if there was none. */
export async function noteHeads(records: LogRecords, now: number): Promise<boolean> {
  // Read before the logs, so that a batch of another process in between makes this one void.
  const [service] = await logStates(records, [logNames.service]);
  if (!service) throw new TypeError('The service log was not made.');
  const pending = await records.logs.page('pending', [], { after: null, limit: headsAtOnce });
  if (pending.records.length === 0) return false;
  const { size } = service.record;
  const states = await statesOf(records, pending.records);
  const heads = states.map((state) => ({ state, root: rootOfState(state) }));
  const leaves = heads.map(({ state: { record }, root }) =>
    leafHash(
      serviceEntry({
        blindedName: blindedName(record.name, Buffer.from(record.nonce, 'base64')),
        size: record.size,
        root,
      }),
    ),
  );
  const batch: LogBatch = {
    key: batchKey(logNames.service, size),
    log: logNames.service,
    first: size,
    hashes: Buffer.concat(leaves).toString('base64'),
    positions: null,
    others: [],
    heads: heads.map(({ state: { record }, root }) => ({
      log: record.name,
      size: record.size,
      root: Buffer.from(root).toString('base64'),
    })),
  };
  const [isStored] = await records.batches.insert([batch]);
  const stored = isStored ? batch : await records.batches.get(batch.key);
  if (stored) await completeBatches(records, [stored], now);
  return true;
}
