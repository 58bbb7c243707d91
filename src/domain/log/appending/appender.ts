import { noteEntry } from '../entries.ts';
import { logNames } from '../names.ts';
import type { UnloggedGroup, UnloggedStatements } from '../ports.ts';
import type { LogRecords } from '../records.ts';
import { type Addition, additionsOf } from './additions.ts';
import { type Additions, appendAll } from './append.ts';
import { recoverBatches } from './batches.ts';
import { noteHeads } from './service-log.ts';

export interface AppenderPorts {
  readonly records: LogRecords;
  readonly unlogged: Pick<UnloggedStatements, 'next' | 'done'>;
  readonly now: () => Date;
}

/** How many rows are taken at once. */
const rowsAtOnce = 4_096;

/**
 * Brings what is stored into the logs, and their heads into the service log. Any number of processes can do
 * this at once: everything gets into its log once. It can stop at any point, and a later call goes on.
 * @returns whether there was anything to do.
 */
export async function appendNew(
  { records, unlogged, now }: AppenderPorts,
  signal?: AbortSignal,
): Promise<boolean> {
  const time = () => now().getTime();
  await recoverBatches(records, time());
  let hasWorked = false;
  for (;;) {
    const groups = await unlogged.next(rowsAtOnce);
    if (groups.length === 0) break;
    hasWorked = true;
    await appendAll(records, await additionsByLog(groups, now()), time);
    await unlogged.done(groups.map(({ token }) => token));
    // Heads follow while more is coming.
    await noteHeads(records, time());
    if (signal?.aborted) return true;
  }
  while (await noteHeads(records, time())) hasWorked = true;
  return hasWorked;
}

async function additionsByLog(groups: readonly UnloggedGroup[], now: Date): Promise<Additions[]> {
  const nameOf = (graphId: string | null) =>
    graphId === null ? logNames.statements : logNames.graph(graphId);
  const byLog = Map.groupBy(groups, ({ graphId }) => nameOf(graphId));
  const wanted: Additions[] = [];
  for (const [log, of] of byLog) {
    const isOlder = of.some((group) => group.isOlder && group.rows.length > 0);
    const additions = await additionsOf(of.flatMap(({ rows }) => rows));
    wanted.push({ log, additions: isOlder ? [olderNote(now), ...additions] : additions });
  }
  return wanted;
}

/** The first entry of a log whose statements are older than the log. */
function olderNote(now: Date): Addition {
  const text =
    'The entries that follow were stored before this log began, in this order. Nothing here proves when.';
  return { position: null, thing: 'note/older', bytes: noteEntry(text, now), isFirst: true };
}
