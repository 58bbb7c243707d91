import { DatabaseSync } from 'node:sqlite';

/** Readers wait this long at most for the moments in which SQLite locks them out, such as a recovery. */
const busyMs = 1_000;
/** For pages that were changed or stand in the log; the rest is mapped, and the kernel's to keep or to drop. */
const cacheKiB = 16_384;
/** The most that SQLite maps of a file. */
const mappedBytes = 0x7fff_0000;

/**
 * The connection that writes. A log of 64 MiB between checkpoints lets pages that many writes touch be
 * written back once.
 */
export function openWriter(file: string): DatabaseSync {
  const database = new DatabaseSync(file, { timeout: busyMs });
  return configured(
    database,
    `PRAGMA journal_mode = WAL;
     PRAGMA synchronous = FULL;
     PRAGMA cache_size = -${cacheKiB};
     PRAGMA mmap_size = ${mappedBytes};
     PRAGMA temp_store = MEMORY;
     PRAGMA wal_autocheckpoint = 16384;
     PRAGMA journal_size_limit = 134217728;`,
  );
}

/** A connection that reads, and never sees a transaction before its commit. */
export function openReader(file: string): DatabaseSync {
  const database = new DatabaseSync(file, { readOnly: true, timeout: busyMs });
  return configured(database, `PRAGMA cache_size = -${cacheKiB}; PRAGMA mmap_size = ${mappedBytes};`);
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
