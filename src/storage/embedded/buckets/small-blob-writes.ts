import type { DatabaseSync } from 'node:sqlite';
import type { NamedBytes } from '../../../domain/bucket.ts';

/**
 * Small blobs are rows of the database, because a file for each would cost syncs of its own, a folder and an inode. They
 * share the transactions of other writes.
 */
export const smallBlobsTable =
  'CREATE TABLE IF NOT EXISTS small_blobs (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, bytes BLOB NOT NULL) STRICT';

/** Several blobs in one piece of memory, because each piece takes time on its way to a thread. */
export interface JoinedBlobs {
  readonly names: readonly string[];
  /** Where each ends. */
  readonly ends: readonly number[];
  readonly bytes: Uint8Array;
}

export function joinedBlobs(blobs: readonly NamedBytes[]): JoinedBlobs {
  const bytes = new Uint8Array(blobs.reduce((sum, one) => sum + one.bytes.length, 0));
  const ends: number[] = [];
  let end = 0;
  for (const one of blobs) {
    bytes.set(one.bytes, end);
    end += one.bytes.length;
    ends.push(end);
  }
  return { names: blobs.map(({ name }) => name), ends, bytes };
}

export function smallBlobWrites(database: DatabaseSync) {
  const insert = database.prepare(
    'INSERT INTO small_blobs (name, bytes) VALUES (?, ?) ON CONFLICT DO NOTHING',
  );
  const repair = database.prepare('UPDATE small_blobs SET bytes = ?2 WHERE name = ?1 AND bytes <> ?2');
  const remove = database.prepare('DELETE FROM small_blobs WHERE name = ?');
  return {
    /** Replaces other bytes under the name, because they are damaged. */
    putSmallBlob({ name, bytes }: { readonly name: string; readonly bytes: Uint8Array }): 'stored' | 'known' {
      if (Number(insert.run(name, bytes).changes) === 1) return 'stored';
      repair.run(name, bytes);
      return 'known';
    },
    /** @returns which names were free. Taken ones stay as they are. */
    putSmallBlobs({ names, ends, bytes }: JoinedBlobs): ('stored' | 'known')[] {
      return names.map((name, at) => {
        const { changes } = insert.run(name, bytes.subarray(ends[at - 1] ?? 0, ends[at]));
        return Number(changes) === 1 ? 'stored' : 'known';
      });
    },
    removeSmallBlob({ name }: { readonly name: string }): void {
      remove.run(name);
    },
  };
}
