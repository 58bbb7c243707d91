import type { DatabaseSync } from 'node:sqlite';
import { collections } from '../../domain/collections/all.ts';
import { ServiceError } from '../../domain/errors.ts';
import { createTables } from './collections/tables.ts';
import { entryColumns } from './index/entries.ts';
import { createLevels } from './index/levels.ts';

/**
 * Each entry brings the schema one version further. Digests are BLAKE3-256: the codecs of both CIDs of a
 * statement are fixed. A `jcs_digest` is there once: the thread that writes asks `entries` for it. `time_blocks` has
 * the range of the times of neighbouring statements, so that a search for a span of time passes over blocks that have
 * none of it. `graph_order.id_start` is the beginning of the `rdfc_digest`, by which manifests are ordered. A graph
 * that is being imported has a row in `graph_imports` and none in `graphs`, which share their ids: what joins `graphs`
 * does not see it.
 */
const migrations: readonly string[] = [
  `CREATE TABLE levels (name TEXT PRIMARY KEY, size INTEGER NOT NULL) STRICT, WITHOUT ROWID;

   CREATE TABLE statements (
     seq INTEGER PRIMARY KEY,
     jcs_digest BLOB NOT NULL,
     rdfc_digest BLOB NOT NULL,
     trusted INTEGER NOT NULL,
     kind TEXT NOT NULL,
     time INTEGER,
     context_set TEXT NOT NULL,
     refs TEXT NOT NULL,
     jcs BLOB NOT NULL
   ) STRICT;
   CREATE INDEX statements_by_kind ON statements (kind);

   CREATE TABLE time_blocks (block INTEGER PRIMARY KEY, oldest INTEGER NOT NULL, newest INTEGER NOT NULL) STRICT;

   CREATE TABLE names (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE) STRICT;
   ${createLevels(
     'entries',
     entryColumns.map((column) => `${column} INTEGER`),
   )}

   CREATE TABLE graphs (
     id INTEGER PRIMARY KEY,
     graph_id TEXT NOT NULL UNIQUE,
     name TEXT NOT NULL,
     parent_id TEXT,
     project_id TEXT NOT NULL,
     statements INTEGER NOT NULL DEFAULT 0
   ) STRICT;
   CREATE INDEX graphs_by_parent ON graphs (parent_id, id);
   CREATE INDEX graphs_by_project ON graphs (project_id, parent_id, id);

   CREATE TABLE statement_graphs (
     seq INTEGER NOT NULL,
     position INTEGER NOT NULL,
     graph INTEGER NOT NULL,
     PRIMARY KEY (seq, position)
   ) STRICT, WITHOUT ROWID;
   CREATE UNIQUE INDEX statements_of_graph ON statement_graphs (graph, seq);
   ${createLevels('graph_order', ['graph INTEGER', 'id_start BLOB', 'seq INTEGER'])}

   CREATE TABLE graph_imports (id INTEGER PRIMARY KEY, statements INTEGER NOT NULL DEFAULT 0) STRICT;
   CREATE TABLE graph_contexts (
     graph INTEGER NOT NULL,
     url TEXT NOT NULL,
     cid TEXT NOT NULL,
     PRIMARY KEY (graph, url)
   ) STRICT, WITHOUT ROWID;
   CREATE TABLE graph_anchors (
     graph INTEGER NOT NULL,
     position INTEGER NOT NULL,
     cid TEXT NOT NULL,
     PRIMARY KEY (graph, position)
   ) STRICT, WITHOUT ROWID;`,
];

/** Brings the database to the newest schema. @throws ServiceError `unavailable` when it is newer than that. */
export function migrate(database: DatabaseSync, folder: string): void {
  const version = schemaVersion(database);
  if (version > migrations.length) refuseNewer(folder, version);
  for (const [index, migration] of migrations.entries()) {
    if (index < version) continue;
    database.exec(`BEGIN IMMEDIATE; ${migration}; PRAGMA user_version = ${index + 1}; COMMIT`);
  }
  createTables(database, collections);
}

/** For who reads a database as it stands. @throws ServiceError `unavailable` unless it has the newest schema. */
export function demandNewest(database: DatabaseSync, folder: string): void {
  const version = schemaVersion(database);
  if (version > migrations.length) refuseNewer(folder, version);
  if (version === migrations.length) return;
  throw new ServiceError(
    'unavailable',
    `The data folder ${folder} was written by an older Cairn (schema ${version}, this one knows ` +
      `${migrations.length}). Start this version on it once with "cairn serve".`,
  );
}

function schemaVersion(database: DatabaseSync): number {
  return Number(database.prepare('PRAGMA user_version').get()?.user_version);
}

function refuseNewer(folder: string, version: number): never {
  throw new ServiceError(
    'unavailable',
    `The data folder ${folder} was written by a newer Cairn (schema ${version}, this one knows ` +
      `${migrations.length}). Start that version again, or choose another folder with CAIRN_DATA_DIR.`,
  );
}
