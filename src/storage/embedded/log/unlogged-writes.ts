import type { DatabaseSync } from 'node:sqlite';
import type { Partition } from '../index/entries.ts';

/**
 * Rows that may lack an entry in their log: those of a range that are in the graph; without a graph (0) all of the range. Of
 * rows that are older than the logs (`is_older`), only those in no graph.
 */
export const unloggedTable = `CREATE TABLE IF NOT EXISTS unlogged (
   id INTEGER PRIMARY KEY,
   graph INTEGER NOT NULL,
   is_trusted INTEGER NOT NULL,
   first INTEGER NOT NULL,
   last INTEGER NOT NULL,
   is_older INTEGER NOT NULL
 ) STRICT`;

/** The number of a graph. 0: none. */
export const noGraph = 0;

interface Run {
  readonly graph: number;
  readonly isTrusted: number;
  readonly first: number;
  last: number;
}

/** A part of a range whose rows are in their log. A later range may have the same id, so its graph is compared too. */
export interface LoggedRange {
  readonly id: number;
  readonly graph: number;
  readonly isTrusted: number;
  readonly from: number;
  readonly to: number;
}

const memberRanges = (partition: Partition, isTrusted: 0 | 1, isOlder: 0 | 1, where: string) =>
  `INSERT INTO unlogged (graph, is_trusted, first, last, is_older)
   SELECT graph, ${isTrusted}, min(seq), max(seq), ${isOlder} FROM ${partition}_graphs ${where} GROUP BY graph`;

export function unloggedWrites(database: DatabaseSync) {
  // Many writes one after the other share a range, so there are few of them.
  const extend = database.prepare(
    `UPDATE unlogged SET last = ?4
     WHERE id = (SELECT max(id) FROM unlogged) AND graph = ?1 AND is_trusted = ?2 AND last = ?3 - 1 AND is_older = 0`,
  );
  const insert = database.prepare(
    'INSERT INTO unlogged (graph, is_trusted, first, last, is_older) VALUES (?, ?, ?, ?, 0)',
  );
  const advance = database.prepare(
    'UPDATE unlogged SET first = ? + 1 WHERE id = ? AND graph = ? AND is_trusted = ? AND first = ?',
  );
  const removeEmpty = database.prepare('DELETE FROM unlogged WHERE id = ? AND first > last');
  const ofGraph = (['verified', 'unverified'] as const).map((partition) =>
    database.prepare(memberRanges(partition, partition === 'verified' ? 1 : 0, 0, 'WHERE graph = ?')),
  );
  let runs: Run[] = [];
  return {
    begin(): void {
      runs = [];
    },

    note(graph: number, partition: Partition, seq: number): void {
      const isTrusted = partition === 'verified' ? 1 : 0;
      const last = runs.at(-1);
      if (last && last.graph === graph && last.isTrusted === isTrusted && last.last === seq - 1)
        last.last = seq;
      else runs.push({ graph, isTrusted, first: seq, last: seq });
    },

    /** To be called before the end of a write. */
    flush(): void {
      for (const { graph, isTrusted, first, last } of runs)
        if (extend.run(graph, isTrusted, first, last).changes === 0)
          insert.run(graph, isTrusted, first, last);
    },

    noteGraph(graph: number): void {
      for (const ranges of ofGraph) ranges.run(graph);
    },

    operations: {
      markLogged(ranges: readonly LoggedRange[]): void {
        for (const { id, graph, isTrusted, from, to } of ranges) {
          advance.run(to, id, graph, isTrusted, from);
          removeEmpty.run(id);
        }
      },

      noteAllUnlogged(): void {
        database.exec(`
          ${memberRanges('verified', 1, 1, 'WHERE graph IN (SELECT id FROM graphs)')};
          ${memberRanges('unverified', 0, 1, 'WHERE graph IN (SELECT id FROM graphs)')};
          INSERT INTO unlogged (graph, is_trusted, first, last, is_older)
          SELECT ${noGraph}, 1, 1, max(seq), 1 FROM verified_rows HAVING max(seq) IS NOT NULL`);
      },
    },
  };
}

export type UnloggedWrites = ReturnType<typeof unloggedWrites>;
