import type { DatabaseSync } from 'node:sqlite';

/**
 * Small blobs are rows of the database, because a file for each would cost syncs of its own, a folder and an inode. They
 * share the transactions of other writes.
 */
export const smallBlobsTable =
  'CREATE TABLE IF NOT EXISTS small_blobs (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, bytes BLOB NOT NULL) STRICT';

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
    removeSmallBlob({ name }: { readonly name: string }): void {
      remove.run(name);
    },
  };
}
