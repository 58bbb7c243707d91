import type { DatabaseSync } from 'node:sqlite';
import { damagedDatabase } from '../errors.ts';
import type { Partition } from '../index/entries.ts';
import type { ListEntry } from './lists.ts';

/** Counting more would block the process. Exports compare graphs of any size. */
const mostCounted = 100_000;

/**
 * Finds rows that a damaged page hides. SQLite reports most damage, but a page whose header is intact only looks as if
 * it had fewer rows. Verified rows are never removed, and get consecutive numbers.
 */
export function readChecks(reader: DatabaseSync, partition: Partition) {
  const count = (of: Partition) => `(SELECT count(*) FROM ${of}_graphs WHERE graph = graphs.id)`;
  const counts = reader.prepare(
    `SELECT statements, ${count('verified')} + ${count('unverified')} AS found
     FROM graphs WHERE graph_id = ? AND statements <= ${mostCounted}`,
  );
  const newest = reader.prepare(`SELECT max(seq) AS seq FROM ${partition}_graphs`);
  const between = reader.prepare(`SELECT seq FROM ${partition}_graphs WHERE seq > ? AND seq < ? LIMIT 1`);
  const throwMissing = (seq: number): never => {
    throw damagedDatabase(`row ${seq} of ${partition}_rows is missing`);
  };

  return {
    /** For a row that an index names and the table lacks. @throws ServiceError `damaged` if it cannot have moved. */
    missing(seq: number): [] {
      return partition === 'verified' ? throwMissing(seq) : [];
    },

    /** Does not look at very large graphs. @throws ServiceError `damaged` unless the graph lists as many rows as it has. */
    demandWholeGraph(graphId: string): void {
      const { statements, found } = counts.get(graphId) ?? {};
      if (statements === found) return;
      throw damagedDatabase(`the graph ${graphId} has ${statements} statements, and ${found} can be read`);
    },

    /**
     * Passes all rows on, newest first.
     * @param below the number that all of them are below; null: there is none.
     * @throws ServiceError `damaged` if a graph has a row that is not among them.
     */
    async *unbroken(entries: AsyncIterable<ListEntry>, below: number | null): AsyncGenerator<ListEntry> {
      let last = below ?? Number(newest.get()?.seq ?? 0) + 1;
      const assertNoneDownTo = (seq: number) => {
        const hidden = partition === 'verified' && last - seq > 1 ? between.get(seq, last) : undefined;
        if (hidden) throwMissing(Number(hidden.seq));
        last = seq;
      };
      for await (const entry of entries) {
        assertNoneDownTo(entry.seq);
        yield entry;
      }
      assertNoneDownTo(0);
    },
  };
}
