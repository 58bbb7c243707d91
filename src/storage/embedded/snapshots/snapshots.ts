import type { DatabaseSync } from 'node:sqlite';
import { digestHex } from '../../../domain/integrity/identifiers/cid.ts';
import type { OrderedRows, RowsSnapshot } from '../../../domain/integrity/statements/rows.ts';
import type { Sort } from '../index/entries.ts';
import { termReads } from '../statements/terms.ts';
import { OperationThread } from '../threads/operation-thread.ts';
import { readMark } from './marks.ts';
import { rowsOf } from './row-pages.ts';
import type { SnapshotOperations } from './snapshot-operations.ts';

type SnapshotThread = OperationThread<SnapshotOperations>;

export interface Snapshots extends AsyncDisposable {
  open(): Promise<RowsSnapshot>;
}

/** Snapshots that a thread of their own reads. It starts with the first of them. */
export function embeddedSnapshots(reader: DatabaseSync): Snapshots {
  const terms = termReads(reader);
  let thread: Promise<SnapshotThread> | undefined;

  function started(): Promise<SnapshotThread> {
    const module = new URL('./snapshot-thread.ts', import.meta.url);
    thread ??= OperationThread.open<SnapshotOperations>('snapshot', module, String(reader.location()));
    thread.catch(() => {
      thread = undefined;
    });
    return thread;
  }

  function orderedRows(thread: SnapshotThread, snapshot: number, sort: Sort): OrderedRows {
    return {
      contents: (graphId, after, limit) => thread.run('contents', { snapshot, sort, graphId, after, limit }),

      async atMarks(marks) {
        const wanted = marks.map(readMark);
        const pages = await thread.run('pages', { snapshot, sort, seqs: wanted.map(({ seq }) => seq) });
        const found = rowsOf(pages, sort, terms);
        return wanted.map(({ start, seq }) => {
          const row = found.get(seq);
          return row && digestHex(row.rdfcCid).startsWith(start) ? row : undefined;
        });
      },
    };
  }

  return {
    async open() {
      const thread = await started();
      const snapshot = await thread.run('open', undefined);
      return {
        rows: {
          verified: orderedRows(thread, snapshot, 'verified'),
          unverified: orderedRows(thread, snapshot, 'unverified'),
        },
        graphReads: {
          visible: (graphIds, visibility) => thread.run('visible', { snapshot, graphIds, visibility }),
          sizes: (graphIds) => thread.run('sizes', { snapshot, graphIds }),
        },
        [Symbol.asyncDispose]: () => thread.run('close', snapshot),
      };
    },

    async [Symbol.asyncDispose]() {
      await (await thread)?.[Symbol.asyncDispose]();
    },
  };
}
