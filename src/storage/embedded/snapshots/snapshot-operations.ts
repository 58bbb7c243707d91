import type { DatabaseSync } from 'node:sqlite';
import type { Visibility } from '../../../domain/access/visibility.ts';
import { openSnapshot } from '../connections.ts';
import { graphReads } from '../graphs/graphs.ts';
import type { Partition } from '../index/entries.ts';
import { orderedReads } from './ordered-reads.ts';

interface OfSnapshot {
  readonly snapshot: number;
}

interface OfPartition extends OfSnapshot {
  readonly partition: Partition;
}

/** All operations on snapshots, by name. Arguments and results can be sent between threads. */
export function snapshotOperations(file: string) {
  const snapshots = new Map<number, ReturnType<typeof snapshotOf>>();
  let newest = 0;

  function find(snapshot: number) {
    const found = snapshots.get(snapshot);
    if (found) return found;
    throw new Error(`The snapshot ${snapshot} is not open.`);
  }

  return {
    open(): number {
      newest += 1;
      snapshots.set(newest, snapshotOf(openSnapshot(file)));
      return newest;
    },

    visible: (asked: OfSnapshot & { graphIds: readonly string[] | null; visibility: Visibility }) =>
      find(asked.snapshot).graphs.visible(asked.graphIds, asked.visibility),

    sizes: (asked: OfSnapshot & { graphIds: readonly string[] }) =>
      find(asked.snapshot).graphs.sizes(asked.graphIds),

    contents: (asked: OfPartition & { graphId: string | null; after: string | null; limit: number }) =>
      find(asked.snapshot)[asked.partition].contents(asked.graphId, asked.after, asked.limit),

    pages: (asked: OfPartition & { seqs: readonly number[] }) =>
      find(asked.snapshot)[asked.partition].pages(asked.seqs),

    close(snapshot: number): void {
      find(snapshot).reader.close();
      snapshots.delete(snapshot);
    },
  };
}

export type SnapshotOperations = ReturnType<typeof snapshotOperations>;

function snapshotOf(reader: DatabaseSync) {
  const [verified, unverified] = [orderedReads(reader, 'verified'), orderedReads(reader, 'unverified')];
  return { reader, graphs: graphReads(reader), verified, unverified };
}
