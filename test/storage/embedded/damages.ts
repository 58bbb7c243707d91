import { execFileSync } from 'node:child_process';
import { mkdir, open, readFile, rename, rm, rmdir, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect } from 'vitest';
import { type Cid, digestHex } from '../../../src/domain/integrity/identifiers/cid.ts';
import { multihashes } from '../../../src/domain/integrity/identifiers/hashing.ts';
import { openEmbeddedCheck } from '../../../src/storage/embedded/fsck/open-fsck.ts';
import { openEmbedded } from '../../../src/storage/embedded/open-embedded.ts';
import type { Filled } from '../../contract/filled-store.ts';
import type { Damage, FsckPlace } from '../../contract/store-fsck.ts';
import { newFolder } from '../temporary-folder.ts';

export interface Folder extends FsckPlace {
  readonly path: string;
}

export async function newPlace(): Promise<Folder> {
  const path = await newFolder();
  return {
    path,
    open: () => openEmbedded(path),
    fsck: () => openEmbeddedCheck(path),
    [Symbol.asyncDispose]: () => rm(path, { recursive: true }),
  };
}

/** Changes the database behind Cairn's back. */
export function change(
  { path }: Pick<Folder, 'path'>,
  sql: string,
  ...values: (string | number | bigint | Uint8Array | null)[]
): void {
  const database = new DatabaseSync(join(path, 'cairn.db'), { defensive: false });
  try {
    if (values.length === 0) database.exec(sql);
    else database.prepare(sql).run(...values);
  } finally {
    database.close();
  }
}

/** Damage by statements of SQL about the row of a statement, whose digest is `?1`. */
function ofStatement(...sql: string[]): Damage<Folder>['do'] {
  return async (place, { statements }) => {
    for (const one of sql) change(place, one, statements[12]?.jcsCid.digest ?? null);
  };
}

/** The same in both tables of a set: which one has a key is the store's own business. */
function inLevels(set: string, sql: (table: string) => string): string[] {
  return [`${set}_recent`, `${set}_settled`].map(sql);
}

function blobPath({ path }: Folder, cid: Cid): string {
  const digest = digestHex(cid);
  const name = `${multihashes[cid.multihash].toString(16)}-${digest}`;
  return join(path, 'blobs', digest.slice(0, 2), digest.slice(2, 4), name);
}

async function flip(path: string, at: number): Promise<void> {
  await using file = await open(path, 'r+');
  const { buffer } = await file.read(Buffer.alloc(1), 0, 1, at);
  buffer.writeUInt8(buffer.readUInt8() ^ 1);
  await file.write(buffer, 0, 1, at);
}

/** Moves a file away, and back. */
async function hide(path: string) {
  await rename(path, `${path}.hidden`);
  const hidden = join(path, '..', '..', '..', '..', 'hidden');
  await rename(`${path}.hidden`, hidden);
  return () => rename(hidden, path);
}

const statement = ({ statements }: Filled) => statements[12]?.jcsCid.text ?? '';
const seq = '(SELECT seq FROM verified_rows WHERE jcs_digest = ?1)';
const withoutJcsEntry = inLevels(
  'verified_entries',
  (table) => `DELETE FROM ${table} WHERE place = -1 AND seq = ${seq}`,
);

const contentDamages: readonly Damage<Folder>[] = [
  {
    name: 'a flipped byte in a blob',
    do: async (place, { blob }) => {
      await flip(blobPath(place, blob), 1_000_000);
      return () => flip(blobPath(place, blob), 1_000_000);
    },
    finds: ({ blob }) => [['blob', blob.text]],
    after: 'kept',
  },
  {
    name: 'a blob without its end',
    do: async (place, { sha256Blob }) => {
      const path = blobPath(place, sha256Blob);
      const whole = await readFile(path);
      await truncate(path, whole.length - 1);
      return () => writeFile(path, whole);
    },
    finds: ({ sha256Blob }) => [['blob', sha256Blob.text]],
    after: 'kept',
  },
  {
    name: 'a pipe in the place of a blob',
    do: async (place, { sha256Blob }) => {
      const path = blobPath(place, sha256Blob);
      const undo = await hide(path);
      execFileSync('mkfifo', [path]);
      return async () => {
        await rm(path);
        await undo();
      };
    },
    finds: ({ sha256Blob }) => [['blob', sha256Blob.text]],
    after: 'kept',
  },
  {
    name: 'the document of a context that the disk does not give back',
    do: async (place, { context }) => {
      const path = blobPath(place, context);
      const undo = await hide(path);
      await mkdir(path);
      return async () => {
        await rmdir(path);
        await undo();
      };
    },
    finds: ({ unverified }) => [['context-set', unverified.contextSet]],
    after: 'kept',
  },
  {
    name: 'the missing folder of all blobs',
    do: async (place) => {
      const [path, hidden] = [join(place.path, 'blobs'), join(place.path, 'hidden')];
      await rename(path, hidden);
      return () => rename(hidden, path);
    },
    finds: ({ unverified, imported, statements }) => [
      ['database', 'blobs'],
      ['attachment', imported.graphId],
      ['attachment', imported.graphId],
      ...[...new Set([unverified, ...statements].map(({ contextSet }) => contextSet))].map(
        (set) => ['context-set', set] as const,
      ),
    ],
    after: 'kept',
  },
  {
    name: 'the missing document of a context',
    do: (place, { context }) => hide(blobPath(place, context)),
    finds: ({ unverified, imported }) => [
      ['context-set', unverified.contextSet],
      ['attachment', imported.graphId],
    ],
    after: 'kept',
  },
  {
    name: 'a changed byte of a statement',
    do: async (place, { statements }) => {
      const { jcs, jcsCid } = statements[12] ?? expect.fail();
      const update = 'UPDATE verified_rows SET jcs = ? WHERE jcs_digest = ?';
      change(place, update, Buffer.from(String(jcs).replace('2026', '2025')), jcsCid.digest);
      return () => change(place, update, jcs, jcsCid.digest);
    },
    finds: (filled) => [['statement', statement(filled)]],
    after: 'kept',
  },
];

const derivedDamages: readonly Damage<Folder>[] = [
  {
    name: 'a missing reference in the entries',
    do: ofStatement(
      ...inLevels('verified_entries', (table) => `DELETE FROM ${table} WHERE place > 0 AND seq = ${seq}`),
    ),
    finds: () => [['index', 'verified_entries']],
    after: 'repaired',
  },
  {
    name: 'a statement without an entry for its jcs_cid',
    do: ofStatement(...withoutJcsEntry),
    finds: () => [['index', 'verified_entries']],
    after: 'repaired',
  },
  {
    name: 'a statement that was stored twice, as its entry was lost in between',
    do: async (place, { statements, root, child }) => {
      const given = statements[12] ?? expect.fail();
      for (const sql of withoutJcsEntry) change(place, sql, given.jcsCid.digest);
      await using store = await place.open();
      expect(await store.statements.putMany([given], child.graphId)).toEqual(['stored']);
      expect(await store.statements.putMany([given], root.graphId)).toEqual(['joined']);
    },
    finds: (filled) => [
      ['duplicate', statement(filled)],
      ['index', 'verified_entries'],
    ],
    after: 'repaired',
  },
  {
    name: 'an entry that no row has',
    do: ofStatement(
      `INSERT INTO verified_entries_settled SELECT target, 999, seq FROM verified_entries WHERE seq = ${seq}`,
    ),
    finds: () => [['index', 'verified_entries']],
    after: 'repaired',
  },
  {
    name: 'an entry that takes the place of another',
    do: ofStatement(
      ...inLevels(
        'verified_entries',
        (table) => `UPDATE ${table} SET place = place + 1 WHERE place > 0 AND seq = ${seq}`,
      ),
    ),
    finds: () => [
      ['index', 'verified_entries'],
      ['index', 'verified_entries'],
    ],
    after: 'repaired',
  },
  {
    name: 'an entry that is both recent and settled',
    do: ofStatement(
      ...inLevels(
        'verified_entries',
        (table) =>
          `INSERT OR IGNORE INTO ${table} SELECT * FROM verified_entries WHERE place = -2 AND seq = ${seq}`,
      ),
    ),
    finds: () => [['index', 'verified_entries']],
    after: 'repaired',
  },
  {
    name: 'a statement out of the order of its graph',
    do: ofStatement(
      ...inLevels('verified_order', (table) => `DELETE FROM ${table} WHERE seq = ${seq} AND graph = 1`),
    ),
    finds: () => [['index', 'verified_order']],
    after: 'repaired',
  },
  {
    name: 'a statement that its project lacks',
    do: ofStatement(`DELETE FROM verified_projects WHERE seq = ${seq}`),
    finds: () => [['index', 'verified_projects']],
    after: 'repaired',
  },
  {
    name: 'a missing index of SQLite',
    do: async (place) => change(place, 'DROP INDEX graphs_by_parent'),
    finds: () => [['index', 'graphs_by_parent']],
    after: 'repaired',
  },
  {
    name: 'the kind of a statement that is not its own, when its entry is lost as well',
    do: ofStatement(
      "UPDATE verified_rows SET kind = 'DidRegistration' WHERE jcs_digest = ?1",
      ...withoutJcsEntry,
    ),
    finds: (filled) => [
      ['statement', statement(filled)],
      ['index', 'verified_entries'],
      ['index', 'verified_entries'],
    ],
    after: 'repaired',
  },
  {
    name: 'the id of a statement that is not its own',
    do: ofStatement('UPDATE verified_rows SET rdfc_digest = zeroblob(32) WHERE jcs_digest = ?1'),
    finds: (filled) => [
      ['statement', statement(filled)],
      ...['verified_entries', 'verified_entries', 'verified_order', 'verified_order'].map(
        (name) => ['index', name] as const,
      ),
    ],
    after: 'repaired',
  },
  {
    name: 'the time of a statement that is a larger number than there are',
    do: ofStatement('UPDATE verified_rows SET time = 9223372036854775807 WHERE jcs_digest = ?1'),
    finds: (filled) => [['statement', statement(filled)]],
    after: 'repaired',
  },
  {
    name: 'references of a statement that are no JSON',
    do: ofStatement("UPDATE verified_rows SET refs = '[[' WHERE jcs_digest = ?1"),
    finds: (filled) => [
      ['statement', statement(filled)],
      ['index', 'verified_entries'],
    ],
    after: 'repaired',
  },
  {
    name: 'a wrong count of statements',
    do: async (place, { child }) =>
      change(place, 'UPDATE graphs SET statements = statements + 1 WHERE graph_id = ?', child.graphId),
    finds: ({ child }) => [['count', child.graphId]],
    after: 'repaired',
  },
  {
    name: 'a project without a number',
    do: async (place, { root }) => change(place, 'DELETE FROM projects WHERE project_id = ?', root.projectId),
    finds: () => [
      ['index', 'projects'],
      ['index', 'verified_projects'],
      ['index', 'unverified_projects'],
    ],
    after: 'repaired',
  },
  {
    name: 'a statement in a graph that does not exist',
    do: ofStatement(`INSERT INTO verified_graphs SELECT ${seq}, 99, 999`),
    finds: () => [
      ['membership', 'verified_graphs'],
      ['index', 'verified_order'],
    ],
    after: 'repaired',
  },
  {
    name: 'a graph with a statement that does not exist',
    do: async (place) => change(place, 'INSERT INTO verified_graphs VALUES (9999, 0, 1)'),
    finds: ({ root }) => [
      ['membership', 'verified_graphs'],
      ['count', root.graphId],
    ],
    after: 'repaired',
  },
  {
    name: 'an index of SQLite that lacks rows',
    do: async (place) => {
      change(
        place,
        `DROP INDEX verified_by_kind;
         CREATE INDEX verified_by_kind ON verified_rows (kind, seq) WHERE seq <> 3;
         PRAGMA writable_schema = ON;
         UPDATE sqlite_schema SET sql = 'CREATE INDEX verified_by_kind ON verified_rows (kind, seq)'
         WHERE name = 'verified_by_kind'`,
      );
    },
    finds: () => [
      ['index', 'verified_by_kind'],
      ['index', 'verified_by_kind'],
    ],
    after: 'repaired',
  },
];

const otherDamages: readonly Damage<Folder>[] = [
  {
    name: 'a graph without its parent',
    do: async (place, { child, root }) => {
      const update = 'UPDATE graphs SET parent_id = ? WHERE graph_id = ?';
      change(place, update, 'nobody', child.graphId);
      return () => change(place, update, root.graphId, child.graphId);
    },
    finds: ({ child }) => [['graph', child.graphId]],
    after: 'kept',
  },
  {
    name: 'graphs that are their own ancestors',
    do: async (place, { child, root }) => {
      const update = 'UPDATE graphs SET parent_id = ? WHERE graph_id = ?';
      change(place, update, child.graphId, root.graphId);
      return () => change(place, update, null, root.graphId);
    },
    finds: ({ root, child, imported }) => [
      ['graph', root.graphId],
      ['graph', child.graphId],
      ['graph', imported.graphId],
    ],
    after: 'kept',
  },
  {
    name: 'a graph in another project than its parent',
    do: async (place, { root }) => {
      const update = "UPDATE graphs SET parent_id = ? WHERE name = 'empty'";
      change(place, update, root.graphId);
      return () => change(place, update, null);
    },
    finds: () => [['graph', /-/]],
    after: 'kept',
  },
  {
    name: 'a user who was made at a time that is a larger number than there are',
    do: async (place, { user }) => {
      const update = 'UPDATE users SET created_at = ? WHERE id = ?';
      change(place, update, 2n ** 63n - 1n, user.id);
      return () => change(place, update, user.createdAt, user.id);
    },
    finds: () => [['database', 'users']],
    after: 'kept',
  },
  {
    name: 'limits that nobody can serve with',
    do: async (place) => {
      const limits = readSetting(place);
      const update = "UPDATE settings SET value = ? WHERE name = 'run_time_limits'";
      change(place, update, '{"blobStoreFetchConcurrency": 0, "blobStoreWriteConcurrency": 4}');
      return () => change(place, update, limits);
    },
    finds: () => [['limits', 'run-time limits']],
    after: 'kept',
  },
  {
    name: 'a job whose record is no JSON',
    do: async (place, { doneJob }) => damageJob(place, doneJob, 'progress', '{'),
    finds: ({ doneJob }) => [['job', doneJob]],
    after: 'kept',
  },
  {
    name: 'a job whose request is none',
    do: async (place, { doneJob }) => damageJob(place, doneJob, 'request', '{}'),
    finds: ({ doneJob }) => [['job', doneJob]],
    after: 'kept',
  },
  {
    name: 'a user with a role that is none',
    do: (place, { user }) => {
      const update = 'UPDATE users SET role = ? WHERE id = ?';
      change(place, update, 'owner', user.id);
      return Promise.resolve(() => change(place, update, user.role, user.id));
    },
    finds: ({ user }) => [['user', user.id]],
    after: 'kept',
  },
  {
    name: 'a user who is indexed under the e-mail of somebody else',
    do: (place, { user }) => {
      const update = 'UPDATE users SET folded_email = ? WHERE id = ?';
      change(place, update, 'eve@example.com', user.id);
      return Promise.resolve(() => change(place, update, user.email?.toLowerCase() ?? '', user.id));
    },
    finds: ({ user }) => [['user', user.id]],
    after: 'kept',
  },
  {
    name: 'a session that is of nobody who can be',
    do: (place, { session: { key, userId } }) => {
      const update = 'UPDATE sessions SET user_id = ? WHERE key = ?';
      change(place, update, 'nobody', key);
      return Promise.resolve(() => change(place, update, userId, key));
    },
    finds: ({ session }) => [['session', session.key]],
    after: 'kept',
  },
  {
    name: 'an audit record whose details are no JSON',
    do: (place, { auditRecord: { id, details } }) => {
      const update = 'UPDATE audit_log SET details = ? WHERE id = ?';
      change(place, update, '{', id);
      return Promise.resolve(() => change(place, update, JSON.stringify(details), id));
    },
    finds: ({ auditRecord }) => [['audit record', auditRecord.id]],
    after: 'kept',
  },
  {
    name: 'a missing result',
    do: async ({ path }, { resultName }) => {
      await rename(join(path, 'exports', resultName), join(path, 'hidden'));
      return () => rename(join(path, 'hidden'), join(path, 'exports', resultName));
    },
    finds: ({ doneJob }) => [['job', doneJob]],
    after: 'kept',
  },
  {
    name: 'a flipped byte in a result',
    do: async ({ path }, { resultName }) => {
      await flip(join(path, 'exports', resultName), 3);
      return () => flip(join(path, 'exports', resultName), 3);
    },
    finds: ({ doneJob }) => [['job', doneJob]],
    after: 'kept',
  },
  {
    name: 'a stray result',
    do: ({ path }) => writeFile(join(path, 'exports', 'nobody.s'), 'stray'),
    finds: () => [['result', 'nobody.s']],
    after: 'removed',
  },
  {
    name: 'an upload that was cut off',
    do: ({ path }) => writeFile(join(path, 'staging', 'half'), 'half'),
    finds: () => [['upload', 'half']],
    after: 'removed',
  },
  {
    name: 'an import that was cut off',
    do: async (place, { unverified, statements, root }) => {
      await using store = await place.open();
      const coming = await store.graphImports.begin(root.projectId);
      await coming.put([...statements.slice(0, 3), unverified]);
    },
    finds: () => [['import', /number/]],
    after: 'removed',
  },
];

function readSetting({ path }: Folder): string {
  const database = new DatabaseSync(join(path, 'cairn.db'));
  try {
    return String(database.prepare("SELECT value FROM settings WHERE name = 'run_time_limits'").get()?.value);
  } finally {
    database.close();
  }
}

function damageJob(place: Folder, id: string, column: 'progress' | 'request', value: string) {
  const database = new DatabaseSync(join(place.path, 'cairn.db'));
  const before = String(database.prepare(`SELECT ${column} AS value FROM jobs WHERE id = ?`).get(id)?.value);
  database.close();
  const update = `UPDATE jobs SET ${column} = ? WHERE id = ?`;
  change(place, update, value, id);
  return () => change(place, update, before, id);
}

export const damages = [...contentDamages, ...derivedDamages, ...otherDamages];
