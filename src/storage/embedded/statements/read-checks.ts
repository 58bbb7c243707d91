import type { DatabaseSync } from 'node:sqlite';
import { damagedDatabase } from '../errors.ts';
import type { Sort } from '../index/entries.ts';
import type { ListEntry } from './lists.ts';

/** Counting more would block the process. Exports compare graphs of any size. */
const mostCounted = 100_000;

/**
 * Finds rows that a damaged page hides. SQLite reports most damage, but a page whose header is intact only looks as if
 * it had fewer rows. Verified rows are never removed, and get consecutive numbers.
 */
export function readChecks(reader: DatabaseSync, sort: Sort) {
  const count = (of: Sort) => `(SELECT count(*) FROM ${of}_graphs WHERE graph = graphs.id)`;
  const counts = reader.prepare(
    `SELECT statements, ${count('verified')} + ${count('unverified')} AS found
     FROM graphs WHERE graph_id = ? AND statements <= ${mostCounted}`,
  );
  const newest = reader.prepare(`SELECT max(seq) AS seq FROM ${sort}_graphs`);
  const between = reader.prepare(`SELECT seq FROM ${sort}_graphs WHERE seq > ? AND seq < ? LIMIT 1`);
  const refuseMissing = (seq: number): never => {
    throw damagedDatabase(`row ${seq} of ${sort}_rows is missing`);
  };

  return {
    /** For a row that an index names and the table lacks. @throws ServiceError `damaged` if it cannot have moved. */
    missing(seq: number): [] {
      return sort === 'verified' ? refuseMissing(seq) : [];
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
      const demandNoneDownTo = (seq: number) => {
        const hidden = sort === 'verified' && last - seq > 1 ? between.get(seq, last) : undefined;
        if (hidden) refuseMissing(Number(hidden.seq));
        last = seq;
      };
      for await (const entry of entries) {
        demandNoneDownTo(entry.seq);
        yield entry;
      }
      demandNoneDownTo(0);
    },
  };
}
