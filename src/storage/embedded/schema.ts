import type { DatabaseSync } from 'node:sqlite';
import { collections } from '../../domain/collections/all.ts';
import { ServiceError } from '../../domain/errors.ts';
import { smallBlobsTable } from './buckets/small-blob-writes.ts';
import { createTables } from './collections/tables.ts';
import { createSeriesIndex } from './exchanges/exchange-series.ts';
import { unloggedTable } from './log/unlogged-writes.ts';
import { registrarsTable, statementTables } from './statements/tables.ts';

/** Folders with another version are refused, except those of the version before. */
const schemaVersion = 5;
/** It has no small blobs in the database, and would not find them. */
const convertedVersion = 4;

/**
 * A graph that is being imported has a row in `graph_imports` and none in `graphs`, so joins with `graphs` do not see it.
 * Both tables share one sequence of ids.
 */
const schema = `
   ${statementTables('verified')}
   ${statementTables('unverified')}
   CREATE TABLE terms (id INTEGER PRIMARY KEY, term TEXT NOT NULL UNIQUE) STRICT;

   CREATE TABLE projects (id INTEGER PRIMARY KEY, project_id TEXT NOT NULL UNIQUE) STRICT;
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
   ) STRICT, WITHOUT ROWID;`;

/** Creates the tables of a new database. @throws ServiceError `unavailable` when it has another schema. */
export function createSchema(database: DatabaseSync, folder: string): void {
  if (versionOf(database) === 0 && isEmpty(database))
    database.exec(`BEGIN IMMEDIATE; ${schema}; PRAGMA user_version = ${schemaVersion}; COMMIT`);
  if (versionOf(database) !== convertedVersion) assertSchema(database, folder);
  // One transaction, because each flushes to disk. If it fails, closing the database rolls it back.
  database.exec(`BEGIN IMMEDIATE; PRAGMA user_version = ${schemaVersion}`);
  createTables(database, collections);
  createSeriesIndex(database);
  // Not in the schema, so that older folders get it too.
  database.exec('CREATE INDEX IF NOT EXISTS graphs_by_name ON graphs (name, id)');
  database.exec(registrarsTable);
  database.exec(smallBlobsTable);
  database.exec(unloggedTable);
  database.exec('COMMIT');
}

/** @throws ServiceError `unavailable` unless the database has the schema of this version. */
export function assertSchema(database: DatabaseSync, folder: string): void {
  const version = versionOf(database);
  if (version === schemaVersion) return;
  if (version === convertedVersion) throwOlder(folder);
  throw new ServiceError(
    'unavailable',
    `The data folder ${folder} was written by ${version < schemaVersion ? 'an older' : 'a newer'} Cairn (schema ` +
      `${version}, this one reads ${schemaVersion}). Start that version again, or choose another folder with CAIRN_DATA_DIR.`,
  );
}

export function throwOlder(folder: string): never {
  const message = `The data folder ${folder} was written by an older Cairn. Start this version on it once with "cairn serve".`;
  throw new ServiceError('unavailable', message);
}

function versionOf(database: DatabaseSync): number {
  return Number(database.prepare('PRAGMA user_version').get()?.user_version);
}

function isEmpty(database: DatabaseSync): boolean {
  return database.prepare('SELECT 1 FROM sqlite_schema LIMIT 1').get() === undefined;
}
