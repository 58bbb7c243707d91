import { DatabaseSync } from 'node:sqlite';
import { defineTerms } from './collections/record-terms.ts';

/** How long readers wait while SQLite locks them out, such as during a recovery. */
const busyMs = 1_000;
/** For changed pages and pages in the log. All other pages are memory-mapped. */
const cacheKiB = 16_384;
const snapshotCacheKiB = 2_048;
/** With large pages, a transaction changes fewer of them. */
const pageBytes = 8_192;
/** With a large log, a page that many writes change is written back once. */
const logBytes = 64 << 20;
/** The most that SQLite maps of a file. */
const mappedBytes = 0x7fff_0000;

export function openWriter(file: string): DatabaseSync {
  const database = opened(
    new DatabaseSync(file, { timeout: busyMs }),
    `PRAGMA page_size = ${pageBytes};
     PRAGMA journal_mode = WAL;
     PRAGMA synchronous = FULL;
     PRAGMA cache_size = -${cacheKiB};
     PRAGMA mmap_size = ${mappedBytes};
     PRAGMA temp_store = MEMORY;
     PRAGMA wal_autocheckpoint = ${logBytes / pageBytes};
     PRAGMA journal_size_limit = ${2 * logBytes};`,
  );
  defineTerms(database);
  return database;
}

export function openReader(file: string): DatabaseSync {
  return openedToRead(file, cacheKiB);
}

/** Sees the store as it was at the first query. The log grows until the connection is closed. */
export function openSnapshot(file: string): DatabaseSync {
  return openedToRead(file, snapshotCacheKiB, 'BEGIN');
}

function openedToRead(file: string, cache: number, begin = ''): DatabaseSync {
  const database = new DatabaseSync(file, { readOnly: true, timeout: busyMs });
  return opened(database, `PRAGMA cache_size = -${cache}; PRAGMA mmap_size = ${mappedBytes}; ${begin}`);
}

function opened(database: DatabaseSync, pragmas: string): DatabaseSync {
  try {
    database.exec(pragmas);
    return database;
  } catch (error) {
    database.close();
    throw error;
  }
}
