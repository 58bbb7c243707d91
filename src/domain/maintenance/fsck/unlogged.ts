import { logNames } from '../../log/names.ts';
import type { LoggedRow } from '../../log/ports.ts';
import { logReading } from '../../log/reading.ts';
import { logRecords } from '../../log/records.ts';
import { type StoreProblem, unfinished } from '../problems.ts';
import type { VerifiedStatement } from '../verifier.ts';
import type { FsckRun } from './run.ts';

interface Member {
  readonly row: LoggedRow;
  readonly jcsCid: string;
}

/**
 * Finds rows that have no entry in the log of one of their graphs, or of those without a graph, and that nobody is going to add.
 * No service leaves out what it has acknowledged.
 */
export async function* fsckUnlogged(
  { store, repair }: Pick<FsckRun, 'store' | 'repair'>,
  statements: readonly VerifiedStatement[],
): AsyncGenerator<StoreProblem> {
  const records = logRecords(store as never);
  // An older store, which the next start of the service brings up to date.
  if (!(await records.logs.get(logNames.service))) return;
  const reading = logReading(records, { ...store.loggedRows, positionsOf: async () => [] });
  for (const [graphId, members] of byGraph(statements)) {
    const log = graphId === null ? logNames.statements : logNames.graph(graphId);
    const withoutEntry = async (some: readonly Member[]) => {
      const indexes = await reading.indexesOf(
        log,
        some.map(({ row }) => row),
      );
      return some.filter((_, at) => indexes[at] === undefined);
    };
    const doubtful = await withoutEntry(members);
    if (doubtful.length === 0) continue;
    const areWaiting = await store.unlogged.areWaiting(
      graphId,
      doubtful.map(({ row }) => row),
    );
    // A service may have added them meanwhile.
    const found = await withoutEntry(doubtful.filter((_, at) => !areWaiting[at]));
    if (repair && found.length > 0)
      await store.unlogged.note(
        graphId,
        found.map(({ row }) => row),
      );
    for (const { jcsCid } of found)
      yield unfinished('log', log, `It has no entry of ${jcsCid} yet`, { repair });
  }
}

function byGraph(statements: readonly VerifiedStatement[]): Map<string | null, Member[]> {
  const members = new Map<string | null, Member[]>();
  for (const { entry, row } of statements) {
    const { position, isTrusted, graphIds } = entry;
    const { rdfcCid, jcsCid } = row;
    const logged = { position, rdfcDigest: rdfcCid.digest, jcsDigest: jcsCid.digest, isTrusted };
    for (const graphId of graphIds.length > 0 ? graphIds : [null])
      members.getOrInsertComputed(graphId, () => []).push({ row: logged, jcsCid: jcsCid.text });
  }
  return members;
}
