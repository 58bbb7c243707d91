import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { blobName } from '../../../src/domain/integrity/blobs/blob-names.ts';
import type { Cid } from '../../../src/domain/integrity/identifiers/cid.ts';
import { blobFile } from '../../../src/storage/embedded/buckets/folder-bucket.ts';

/**
 * Changes the stored bytes of a blob in a data folder, in its file or its row.
 * @param change returns null to remove them.
 * @returns a function that puts them back.
 */
export function changeBlob(
  dataDir: string,
  blob: Cid | string,
  change: (bytes: Buffer) => Uint8Array | null,
): () => void {
  const name = typeof blob === 'string' ? blob : blobName(blob);
  const file = blobFile(join(dataDir, 'blobs'), name);
  const put = existsSync(file)
    ? (bytes: Uint8Array | null) => (bytes ? writeFileSync(file, bytes) : rmSync(file))
    : (bytes: Uint8Array | null) =>
        withDatabase(dataDir, (database) => {
          database.prepare('DELETE FROM small_blobs WHERE name = ?').run(name);
          const insert = 'INSERT INTO small_blobs (name, bytes) VALUES (?, ?)';
          if (bytes) database.prepare(insert).run(name, bytes);
        });
  const before = existsSync(file) ? readFileSync(file) : Buffer.from(rowOf(dataDir, name));
  put(change(before));
  return () => put(before);
}

function rowOf(dataDir: string, name: string): Uint8Array {
  const select = 'SELECT bytes FROM small_blobs WHERE name = ?';
  const row = withDatabase(dataDir, (database) => database.prepare(select).get(name));
  if (!row) throw new Error(`There is no blob ${name}.`);
  return row.bytes as Uint8Array;
}

function withDatabase<Result>(dataDir: string, work: (database: DatabaseSync) => Result): Result {
  using database = new DatabaseSync(join(dataDir, 'cairn.db'), { timeout: 5_000 });
  return work(database);
}

/** With another first byte. */
export function inverted(bytes: Buffer): Buffer {
  const changed = Buffer.from(bytes);
  changed.writeUInt8(changed.readUInt8(0) ^ 1);
  return changed;
}
