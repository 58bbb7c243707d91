import { DatabaseSync } from 'node:sqlite';

/** Readers wait this long at most for the moments in which SQLite locks them out, such as a recovery. */
const busyMs = 1_000;
/** For pages that were changed or stand in the log; the rest is mapped, and the kernel's to keep or to drop. */
const cacheKiB = 16_384;
const snapshotCacheKiB = 2_048;
/** Large pages take in more of the keys that a transaction brings, and are fewer to write. */
const pageBytes = 8_192;
/** A log of this size between checkpoints lets pages that many writes touch be written back once. */
const logBytes = 64 << 20;
/** The most that SQLite maps of a file. */
const mappedBytes = 0x7fff_0000;

/** The connection that writes. */
export function openWriter(file: string): DatabaseSync {
  const database = new DatabaseSync(file, { timeout: busyMs });
  return configured(
    database,
    `PRAGMA page_size = ${pageBytes};
     PRAGMA journal_mode = WAL;
     PRAGMA synchronous = FULL;
     PRAGMA cache_size = -${cacheKiB};
     PRAGMA mmap_size = ${mappedBytes};
     PRAGMA temp_store = MEMORY;
     PRAGMA wal_autocheckpoint = ${logBytes / pageBytes};
     PRAGMA journal_size_limit = ${2 * logBytes};`,
  );
}

/** A connection that reads, and never sees a transaction before its commit. */
export function openReader(file: string): DatabaseSync {
  const database = new DatabaseSync(file, { readOnly: true, timeout: busyMs });
  return configured(database, `PRAGMA cache_size = -${cacheKiB}; PRAGMA mmap_size = ${mappedBytes};`);
}

/** A connection that sees the store as it is at its first question, until it is closed: the log grows meanwhile. */
export function openSnapshot(file: string): DatabaseSync {
  const database = new DatabaseSync(file, { readOnly: true, timeout: busyMs });
  return configured(
    database,
    `PRAGMA cache_size = -${snapshotCacheKiB}; PRAGMA mmap_size = ${mappedBytes}; BEGIN;`,
  );
}

function configured(database: DatabaseSync, pragmas: string): DatabaseSync {
  try {
    database.exec(pragmas);
    return database;
  } catch (error) {
    database.close();
    throw error;
  }
}
