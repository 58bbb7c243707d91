import type { DatabaseSync } from 'node:sqlite';
import { ServiceError } from '../../domain/errors.ts';
import { statementTables } from './statements/tables.ts';

/** Folders of older schemas are refused: nothing converts them. */
const schemaVersion = 3;

/**
 * A graph that is being imported has a row in `graph_imports` and none in `graphs`. Both tables share their ids, so that
 * whatever joins `graphs` does not see it.
 */
const schema = `
   ${statementTables('verified')}
   ${statementTables('unverified')}

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
   ) STRICT, WITHOUT ROWID;

   CREATE TABLE jobs (
     seq INTEGER PRIMARY KEY,
     id TEXT NOT NULL UNIQUE,
     kind TEXT NOT NULL,
     issuer TEXT NOT NULL,
     subject TEXT NOT NULL,
     state TEXT NOT NULL,
     request TEXT NOT NULL,
     progress TEXT NOT NULL DEFAULT 'null',
     attempts INTEGER NOT NULL DEFAULT 0,
     runner TEXT,
     heard_at INTEGER,
     created_at INTEGER NOT NULL,
     finished_at INTEGER,
     expires_at INTEGER,
     failure TEXT NOT NULL DEFAULT 'null'
   ) STRICT;
   CREATE INDEX jobs_by_state ON jobs (state, seq);
   CREATE INDEX jobs_by_owner ON jobs (issuer, subject, state);
   CREATE INDEX jobs_by_expiry ON jobs (expires_at);

   CREATE TABLE settings (name TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT, WITHOUT ROWID;

   CREATE TABLE users (
     id TEXT PRIMARY KEY,
     issuer TEXT NOT NULL,
     subject TEXT NOT NULL,
     email TEXT,
     folded_email TEXT,
     email_verified INTEGER NOT NULL,
     name TEXT,
     name_override TEXT,
     role TEXT NOT NULL,
     role_source TEXT NOT NULL,
     bootstrap_email TEXT UNIQUE,
     disabled INTEGER NOT NULL,
     created_at INTEGER NOT NULL,
     updated_at INTEGER NOT NULL,
     last_login_at INTEGER NOT NULL,
     UNIQUE (issuer, subject)
   ) STRICT;
   CREATE INDEX users_by_creation ON users (created_at, id);
   CREATE INDEX users_by_email ON users (folded_email, created_at, id);
   CREATE INDEX users_by_role ON users (role, created_at, id);
   CREATE INDEX users_by_status ON users (disabled, created_at, id);

   CREATE TABLE sessions (
     key TEXT PRIMARY KEY,
     user_id TEXT NOT NULL,
     issuer TEXT NOT NULL,
     subject TEXT NOT NULL,
     sealed_id_token TEXT,
     created_at INTEGER NOT NULL,
     last_seen_at INTEGER NOT NULL,
     expires_at INTEGER NOT NULL
   ) STRICT, WITHOUT ROWID;
   CREATE INDEX sessions_by_user ON sessions (user_id);
   CREATE INDEX sessions_by_expiry ON sessions (expires_at);

   CREATE TABLE audit_log (
     at INTEGER NOT NULL,
     id TEXT NOT NULL,
     issuer TEXT,
     subject TEXT,
     means TEXT,
     action TEXT NOT NULL,
     target TEXT,
     outcome TEXT NOT NULL,
     code TEXT,
     request_id TEXT NOT NULL,
     address TEXT,
     details TEXT NOT NULL,
     PRIMARY KEY (at, id)
   ) STRICT, WITHOUT ROWID;
   CREATE INDEX audit_log_by_subject ON audit_log (subject, at, id);
   CREATE INDEX audit_log_by_action ON audit_log (action, at, id);
   CREATE INDEX audit_log_by_target ON audit_log (target, at, id) WHERE target IS NOT NULL;`;

/** Makes the tables of a new database. @throws ServiceError `unavailable` when it has another schema. */
export function createSchema(database: DatabaseSync, folder: string): void {
  if (versionOf(database) === 0 && isEmpty(database))
    database.exec(`BEGIN IMMEDIATE; ${schema}; PRAGMA user_version = ${schemaVersion}; COMMIT`);
  demandSchema(database, folder);
}

/** @throws ServiceError `unavailable` unless the database has the schema of this version. */
export function demandSchema(database: DatabaseSync, folder: string): void {
  const version = versionOf(database);
  if (version === schemaVersion) return;
  throw new ServiceError(
    'unavailable',
    `The data folder ${folder} was written by ${version < schemaVersion ? 'an older' : 'a newer'} Cairn (schema ` +
      `${version}, this one reads ${schemaVersion}). Start that version again, or choose another folder with CAIRN_DATA_DIR.`,
  );
}

function versionOf(database: DatabaseSync): number {
  return Number(database.prepare('PRAGMA user_version').get()?.user_version);
}

function isEmpty(database: DatabaseSync): boolean {
  return database.prepare('SELECT 1 FROM sqlite_schema LIMIT 1').get() === undefined;
}
