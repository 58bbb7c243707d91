import type { DatabaseSync } from 'node:sqlite';
import { ServiceError } from '../../domain/errors.ts';
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

   CREATE TABLE settings (name TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT, WITHOUT ROWID;`,

  `CREATE TABLE users (
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
   CREATE INDEX audit_log_by_target ON audit_log (target, at, id) WHERE target IS NOT NULL;`,
];

/** Brings the database to the newest schema. @throws ServiceError `unavailable` when it is newer than that. */
export function migrate(database: DatabaseSync, folder: string): void {
  const version = schemaVersion(database);
  if (version > migrations.length) refuseNewer(folder, version);
  for (const [index, migration] of migrations.entries()) {
    if (index < version) continue;
    database.exec(`BEGIN IMMEDIATE; ${migration}; PRAGMA user_version = ${index + 1}; COMMIT`);
  }
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
