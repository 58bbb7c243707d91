import type { DatabaseSync } from 'node:sqlite';
import { digestHex } from '../../../domain/integrity/identifiers/cid.ts';
import type { OrderedRows, RowsSnapshot } from '../../../domain/integrity/statements/rows.ts';
import type { Partition } from '../index/entries.ts';
import { termReads } from '../statements/terms.ts';
import { OperationThread } from '../threads/operation-thread.ts';
import { readMark, rowsOf } from './row-pages.ts';
import type { SnapshotOperations } from './snapshot-operations.ts';

type SnapshotThread = OperationThread<SnapshotOperations>;

/** Snapshots that a thread of their own reads. It starts with the first of them. */
export function embeddedSnapshots(reader: DatabaseSync): AsyncDisposable & { open(): Promise<RowsSnapshot> } {
  const terms = termReads(reader);
  let thread: Promise<SnapshotThread> | undefined;

  async function start(): Promise<SnapshotThread> {
    try {
      const module = new URL('./snapshot-thread.ts', import.meta.url);
      return await OperationThread.open('snapshot', module, String(reader.location()));
    } catch (error) {
      // The next snapshot tries again.
      thread = undefined;
      throw error;
    }
  }

  function orderedRows(running: SnapshotThread, snapshot: number, partition: Partition): OrderedRows {
    return {
      contents: (graphId, after, limit) =>
        running.run('contents', { snapshot, partition, graphId, after, limit }),

      async atMarks(marks) {
        const wanted = marks.map(readMark);
        const pages = await running.run('pages', { snapshot, partition, seqs: wanted.map(({ seq }) => seq) });
        const found = rowsOf(pages, partition, terms);
        return wanted.map(({ start, seq }) => {
          const row = found.get(seq);
          return row && digestHex(row.rdfcCid).startsWith(start) ? row : undefined;
        });
      },
    };
  }

  return {
    async open() {
      thread ??= start();
      const running = await thread;
      const snapshot = await running.run('open', undefined);
      return {
        rows: {
          verified: orderedRows(running, snapshot, 'verified'),
          unverified: orderedRows(running, snapshot, 'unverified'),
        },
        graphReads: {
          visible: (graphIds, visibility) => running.run('visible', { snapshot, graphIds, visibility }),
          sizes: (graphIds) => running.run('sizes', { snapshot, graphIds }),
        },
        [Symbol.asyncDispose]: () => running.run('close', snapshot),
      };
    },

    async [Symbol.asyncDispose]() {
      await (await thread)?.[Symbol.asyncDispose]();
    },
  };
}
