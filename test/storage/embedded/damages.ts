import { open, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync, type SQLInputValue, type SQLOutputValue } from 'node:sqlite';
import { expect } from 'vitest';
import { levelTables } from '../../../src/storage/embedded/index/levels.ts';
import { openEmbedded, openEmbeddedCheck } from '../../../src/storage/open.ts';
import { packNamed } from '../../builders/exchanges.ts';
import type { Filled } from '../../contract/filled-store.ts';
import type { ContentDamage, DerivedDamage, FsckPlace, Orphan } from '../../contract/store-fsck.ts';
import { newFolder } from '../temporary-folder.ts';
import { changeBlob, inverted } from './stored-blobs.ts';

export interface Folder extends FsckPlace {
  readonly path: string;
}

type Row = Record<string, SQLOutputValue>;
type Value = SQLInputValue;

export async function newPlace(): Promise<Folder> {
  const path = await newFolder();
  return {
    path,
    open: () => openEmbedded(path),
    fsck: () => openEmbeddedCheck(path),
    derivedData: async () => derived.map((sql) => rows({ path }, sql)),
    [Symbol.asyncDispose]: () => rm(path, { recursive: true }),
  };
}

function withDatabase<Result>(
  { path }: Pick<Folder, 'path'>,
  work: (database: DatabaseSync) => Result,
): Result {
  const database = new DatabaseSync(join(path, 'cairn.db'), { defensive: false });
  try {
    return work(database);
  } finally {
    database.close();
  }
}

function rows(place: Pick<Folder, 'path'>, sql: string): Row[] {
  return withDatabase(place, (database) => database.prepare(sql).all());
}

/** Changes the database directly. */
export function change(place: Pick<Folder, 'path'>, sql: string, ...values: Value[]): void {
  withDatabase(place, (database) => {
    if (values.length === 0) database.exec(sql);
    else database.prepare(sql).run(...values);
  });
}

export async function flip(path: string, at: number): Promise<void> {
  await using file = await open(path, 'r+');
  const { buffer } = await file.read(Buffer.alloc(1), 0, 1, at);
  buffer.writeUInt8(buffer.readUInt8() ^ 1);
  await file.write(buffer, 0, 1, at);
}

/** Moves a file of a store to the store's folder, where nobody looks for it, and back. */
async function hide(place: Pick<Folder, 'path'>, path: string) {
  const hidden = join(place.path, 'hidden');
  await rename(path, hidden);
  return () => rename(hidden, path);
}

/** All that is derived from content, wherever the store keeps it. */
const derived = [
  ...['verified', 'unverified'].flatMap((sort) => [
    `SELECT seq, rdfc_digest, (SELECT term FROM terms WHERE id = kind) AS kind, time, refs FROM ${sort}_rows ORDER BY seq`,
    `SELECT * FROM ${sort}_entries ORDER BY target, place, seq`,
    `SELECT * FROM ${sort}_order ORDER BY graph, id_start, seq`,
    `SELECT * FROM ${sort}_graphs ORDER BY seq, position`,
    `SELECT project_id, seq FROM ${sort}_projects JOIN projects ON id = project ORDER BY 1, 2`,
  ]),
  'SELECT graph_id, statements FROM graphs ORDER BY id',
  'SELECT record FROM names ORDER BY id',
  'SELECT record FROM blob_hashes ORDER BY blake3',
  "SELECT json_remove(record, '$.createdAt') AS record FROM retractions ORDER BY id",
  'SELECT record FROM state_blobs ORDER BY id',
  "SELECT name FROM sqlite_schema WHERE type = 'index' ORDER BY name",
];

/** Changes one of the rows that a query finds: `:column` in the statements stands for a value of that row. */
function damage(name: string, query: string, ...statements: string[]): DerivedDamage<Folder> {
  return {
    name,
    do: async (place, at) => {
      const found = rows(place, query);
      const row = found[at % found.length] ?? expect.fail(`There is no row: ${query}`);
      for (const sql of statements) {
        const values: Value[] = [];
        const text = sql.replaceAll(/:(\w+)/g, (_, column: string) => {
          values.push(row[column] ?? null);
          return '?';
        });
        change(place, text, ...values);
      }
    },
  };
}

/** Stores one of the statements that a query finds again. */
export function storedTwice(query: string): DerivedDamage<Folder> {
  return damage(
    'a statement that was stored twice, because its entry was lost',
    query,
    ...inLevels('verified_entries', (table) => `DELETE FROM ${table} WHERE place = -1 AND seq = :seq`),
    `INSERT INTO verified_rows
     SELECT 999, jcs_digest, rdfc_digest, kind, time, context_set, refs, jcs FROM verified_rows WHERE seq = :seq`,
    'INSERT INTO verified_graphs SELECT 999, position, graph FROM verified_graphs WHERE seq = :seq',
  );
}

const statements = 'SELECT seq FROM verified_rows';
const entries = 'SELECT target, place, seq FROM verified_entries';
/** Which of the tables has a key is the store's own business. */
const inLevels = (set: string, sql: (table: string) => string) => levelTables({ name: set }).map(sql);
const isEntry = 'target = :target AND place = :place AND seq = :seq';

export const derivedDamages: readonly DerivedDamage<Folder>[] = [
  damage(
    'another kind of a statement',
    statements,
    'UPDATE verified_rows SET kind = kind + 1 WHERE seq = :seq',
  ),
  damage(
    'another id of a statement',
    statements,
    'UPDATE verified_rows SET rdfc_digest = zeroblob(32) WHERE seq = :seq',
  ),
  damage(
    'another time of a statement',
    statements,
    'UPDATE verified_rows SET time = coalesce(time, 0) - 86400000 WHERE seq = :seq',
  ),
  damage(
    'a kind whose text is lost',
    'SELECT kind AS term FROM verified_rows',
    'DELETE FROM terms WHERE id = :term',
  ),
  damage(
    'references of a statement that point to no identifier',
    statements,
    "UPDATE verified_rows SET refs = '[1,99999]' WHERE seq = :seq",
  ),
  damage(
    'references of a statement that are no JSON',
    'SELECT seq FROM unverified_rows',
    "UPDATE unverified_rows SET refs = '[[' WHERE seq = :seq",
  ),
  damage('a missing name', 'SELECT id FROM names', 'DELETE FROM names WHERE id = :id'),
  damage(
    'a wrong name',
    'SELECT id FROM names',
    "UPDATE names SET record = json_set(record, '$.folded', 'other') WHERE id = :id",
  ),
  damage(
    'a wrong digest',
    'SELECT blake3 AS id FROM blob_hashes',
    "UPDATE blob_hashes SET record = json_set(record, '$.git', 'other') WHERE blake3 = :id",
  ),
  damage('a missing retraction', 'SELECT id FROM retractions', 'DELETE FROM retractions WHERE id = :id'),
  damage(
    'a wrong retraction',
    'SELECT id FROM retractions',
    "UPDATE retractions SET record = json_set(record, '$.subject', 'other', '$.withdrawn', 'other') WHERE id = :id",
  ),
  damage('a missing state blob', 'SELECT id FROM state_blobs', 'DELETE FROM state_blobs WHERE id = :id'),
  damage(
    'a missing entry',
    entries,
    ...inLevels('verified_entries', (table) => `DELETE FROM ${table} WHERE ${isEntry}`),
  ),
  damage(
    'an entry of a statement that does not exist',
    entries,
    'INSERT INTO verified_entries_settled VALUES (:target, :place, :seq + 999)',
  ),
  damage(
    'an entry that is in all tables',
    entries,
    ...inLevels(
      'verified_entries',
      (table) => `INSERT OR IGNORE INTO ${table} VALUES (:target, :place, :seq)`,
    ),
  ),
  damage(
    'a missing entry in the order of a graph',
    'SELECT graph, seq FROM verified_order',
    ...inLevels('verified_order', (table) => `DELETE FROM ${table} WHERE graph = :graph AND seq = :seq`),
  ),
  damage(
    'a statement that its project lacks',
    'SELECT project, seq FROM verified_projects',
    'DELETE FROM verified_projects WHERE project = :project AND seq = :seq',
  ),
  damage(
    'a project without a number',
    'SELECT project_id FROM projects',
    'DELETE FROM projects WHERE project_id = :project_id',
  ),
  damage(
    'a statement of a graph that does not exist',
    statements,
    'INSERT INTO verified_graphs VALUES (:seq, 99, 999)',
  ),
  damage(
    'a graph with a statement that does not exist',
    'SELECT id FROM graphs',
    'INSERT INTO unverified_graphs VALUES (999, 0, :id)',
  ),
  damage(
    'a wrong count of statements',
    'SELECT id FROM graphs',
    'UPDATE graphs SET statements = statements + 1 WHERE id = :id',
  ),
  storedTwice(statements),
  {
    name: 'a missing index',
    do: async (place, at) => {
      const query = "SELECT name FROM sqlite_schema WHERE type = 'index' AND sql LIKE 'CREATE INDEX%'";
      const found = rows(place, query);
      change(place, `DROP INDEX ${found[at % found.length]?.name}`);
    },
  },
];

const statementAt = ({ statements }: Filled) => statements[12] ?? expect.fail();

/** Writes another value into one row, found by its key. */
function content(
  name: string,
  [table, column, key]: readonly [string, string, string],
  idOf: (filled: Filled) => Value,
  value: (filled: Filled, before: Value) => Value,
  finds: ContentDamage<Folder>['finds'],
): ContentDamage<Folder> {
  return {
    name,
    finds,
    do: async (place, filled) => {
      const [update, id] = [`UPDATE ${table} SET ${column} = ? WHERE ${key} = ?`, idOf(filled)];
      const select = `SELECT ${column} AS value FROM ${table} WHERE ${key} = ?`;
      const before = withDatabase(place, (database) => database.prepare(select).get(id)?.value ?? null);
      change(place, update, value(filled, before), id);
      return () => change(place, update, before, id);
    },
  };
}

/** A record with other members. */
function changed(members: object) {
  return (_: Filled, before: Value): string => JSON.stringify({ ...JSON.parse(String(before)), ...members });
}

export const contentDamages: readonly ContentDamage<Folder>[] = [
  {
    name: 'a flipped byte in a blob',
    do: async ({ path }, { blob }) => {
      const putBack = changeBlob(path, blob, inverted);
      return async () => putBack();
    },
    finds: ({ blob }) => [['blob', blob.text]],
  },
  {
    name: 'the missing document of a context',
    do: async ({ path }, { context }) => {
      const putBack = changeBlob(path, context, () => null);
      return async () => putBack();
    },
    finds: ({ unverified, imported }) => [
      ['context-set', unverified.contextSet],
      ['attachment', imported.graphId],
    ],
  },
  {
    name: 'a flipped byte in the result of an export',
    do: async ({ path }, { resultName }) => {
      await flip(join(path, 'exports', resultName), 3);
      return () => flip(join(path, 'exports', resultName), 3);
    },
    finds: ({ doneJob }) => [['job', doneJob]],
  },
  {
    name: 'a flipped byte in the body of an exchange',
    do: async ({ path }, { packName }) => {
      await flip(join(path, 'sealed', packName), 3);
      return () => flip(join(path, 'sealed', packName), 3);
    },
    finds: ({ exchangeKey }) => [['sealed', `audit_exchanges/${exchangeKey}`]],
  },
  {
    name: 'a flipped byte in a blob of a state',
    do: async ({ path }, { statePackName }) => {
      await flip(join(path, 'sealed', statePackName), 25);
      return () => flip(join(path, 'sealed', statePackName), 25);
    },
    finds: ({ stateId }) => [['sealed', `state_records/${stateId}`]],
  },
  {
    name: 'a missing body of an exchange',
    do: (place, { packName }) => hide(place, join(place.path, 'sealed', packName)),
    finds: ({ exchangeKey }) => [['sealed', `audit_exchanges/${exchangeKey}`]],
  },
  content(
    'a changed byte of a statement',
    ['verified_rows', 'jcs', 'jcs_digest'],
    (filled) => statementAt(filled).jcsCid.digest,
    (filled) => Buffer.from(String(statementAt(filled).jcs).replace('2026', '2025')),
    (filled) => [['statement', statementAt(filled).jcsCid.text]],
  ),
  content(
    'a graph whose parent does not exist',
    ['graphs', 'parent_id', 'graph_id'],
    ({ child }) => child.graphId,
    () => 'nobody',
    ({ child }) => [['graph', child.graphId]],
  ),
  content(
    'graphs that are their own ancestors',
    ['graphs', 'parent_id', 'graph_id'],
    ({ root }) => root.graphId,
    ({ child }) => child.graphId,
    ({ root, child, imported }) => [root, child, imported].map(({ graphId }) => ['graph', graphId]),
  ),
  {
    name: 'a graph in another project than its parent',
    do: async (place, { root }) => {
      const insert = `INSERT INTO graphs (graph_id, name, parent_id, project_id)
        SELECT 'stray', name, ?, project_id FROM graphs WHERE name = 'empty'`;
      change(place, insert, root.graphId);
      return () => change(place, "DELETE FROM graphs WHERE graph_id = 'stray'");
    },
    finds: () => [['graph', 'stray']],
  },
  content(
    'limits that nobody can work with',
    ['run_time_limits', 'record', 'name'],
    () => 'limits',
    changed({ blobStoreFetchConcurrency: 0 }),
    () => [['record', 'run_time_limits/limits']],
  ),
  content(
    'a job whose request is empty',
    ['jobs', 'record', 'id'],
    ({ doneJob }) => doneJob,
    changed({ request: {} }),
    ({ doneJob }) => [['job', doneJob]],
  ),
  content(
    'a user with an unknown role',
    ['users', 'record', 'id'],
    ({ user }) => user.id,
    changed({ role: 'owner' }),
    ({ user }) => [['record', `users/${user.id}`]],
  ),
  content(
    'a user with the e-mail of somebody else in the index',
    ['users', 'record', 'id'],
    ({ user }) => user.id,
    changed({ foldedEmail: 'eve@example.com' }),
    ({ user }) => [['record', `users/${user.id}`]],
  ),
  content(
    'a session whose user id is malformed',
    ['sessions', 'record', 'key'],
    ({ session }) => session.key,
    changed({ userId: 'nobody' }),
    ({ session }) => [['record', `sessions/${session.key}`]],
  ),
  content(
    'an audit record whose details are a number',
    ['audit_log', 'record', 'id'],
    ({ auditRecord }) => auditRecord.id,
    changed({ details: 5 }),
    ({ auditRecord }) => [['record', `audit_log/${auditRecord.id}`]],
  ),
  content(
    'a user whose record is no JSON',
    ['users', 'record', 'rowid'],
    () => 1,
    () => '{',
    () => [['record', 'users/row 1']],
  ),
];

export const orphans: readonly Orphan<Folder>[] = [
  {
    name: 'a result without a job',
    do: ({ path }) => writeFile(join(path, 'exports', 'nobody.s'), 'stray'),
    finds: ['result', 'nobody.s'],
  },
  {
    name: 'an old pack without a record, and no young one',
    async do({ path }) {
      const pack = (time: number) => writeFile(join(path, 'sealed', packNamed(time)), 'stray');
      await pack(Date.now());
      await pack(1);
    },
    finds: ['sealed', packNamed(1)],
  },
  {
    name: 'an interrupted upload',
    do: ({ path }) => writeFile(join(path, 'staging', 'half'), 'half'),
    finds: ['upload', 'half'],
  },
  {
    name: 'an interrupted import',
    do: async (place, { unverified, statements, root }) => {
      await using store = await place.open();
      const coming = await store.graphImports.begin(root.projectId);
      await coming.put([...statements.slice(0, 3), unverified]);
    },
    finds: ['import', /number/],
  },
];
