import type { DatabaseSync } from 'node:sqlite';
import type { Postings } from './postings.ts';

/** A block is this many neighbours in the order of `seq`. */
export const blockRows = 1_024;

/** Keeps the ranges of blocks up to date: collects them while rows are added, and writes each once. */
export function timeBlockWrites(database: DatabaseSync) {
  const extend = database.prepare(
    `INSERT INTO time_blocks (block, oldest, newest) VALUES (?1, ?2, ?3) ON CONFLICT (block)
     DO UPDATE SET oldest = min(oldest, ?2), newest = max(newest, ?3)`,
  );
  const added = new Map<number, { oldest: number; newest: number }>();
  return {
    add(seq: number, time: number): void {
      const block = Math.floor(seq / blockRows);
      const range = added.get(block);
      if (!range) added.set(block, { oldest: time, newest: time });
      else if (time < range.oldest) range.oldest = time;
      else if (time > range.newest) range.newest = time;
    },
    flush(): void {
      for (const [block, { oldest, newest }] of added) extend.run(block, oldest, newest);
      added.clear();
    },
  };
}

/** Reads them as postings of every statement in a block that can hold one of a span of time. */
export function timeBlockReads(reader: DatabaseSync) {
  const latest = reader.prepare(
    `SELECT block FROM time_blocks WHERE block <= ? AND newest >= ? AND oldest < ?
     ORDER BY block DESC LIMIT 1`,
  );
  return (from: number | null, until: number | null): Postings => {
    let last: number | undefined;
    const below = (seq: number) => {
      const own = Math.floor((seq - 1) / blockRows);
      if (own === last) return seq - 1;
      const found = latest.get(own, from ?? -Number.MAX_SAFE_INTEGER, until ?? Number.MAX_SAFE_INTEGER);
      if (!found) return undefined;
      last = Number(found.block);
      return Math.min(seq, (last + 1) * blockRows) - 1;
    };
    return { below };
  };
}
