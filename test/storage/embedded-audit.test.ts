import { randomUUID } from 'node:crypto';
import { readdirSync } from 'node:fs';
import { mkdir, open, readFile, rename, rm, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, test } from 'vitest';
import { type Cid, digestHex, multihashes } from '../../src/domain/integrity/cid.ts';
import { openEmbeddedAudit } from '../../src/storage/embedded/open-audit.ts';
import { openEmbedded } from '../../src/storage/embedded/open-embedded.ts';
import { type Filled, fill } from '../contract/filled-store.ts';
import { type AuditedPlace, type Damage, runAudit, storeAuditContract } from '../contract/store-audit.ts';
import { damageTable } from './damage.ts';
import { newFolder, temporaryFolder } from './temporary-folder.ts';

interface Folder extends AuditedPlace {
  readonly path: string;
}

async function newPlace(): Promise<Folder> {
  const path = await newFolder();
  return {
    path,
    open: () => openEmbedded(path),
    audit: () => openEmbeddedAudit(path),
    [Symbol.asyncDispose]: () => rm(path, { recursive: true }),
  };
}

/** Changes the database behind Cairn's back. */
function change({ path }: Folder, sql: string, ...values: (string | number | Uint8Array | null)[]): void {
  const database = new DatabaseSync(join(path, 'cairn.db'), { defensive: false });
  try {
    if (values.length === 0) database.exec(sql);
    else database.prepare(sql).run(...values);
  } finally {
    database.close();
  }
}

/** Damage by one statement of SQL about the row of a statement, whose digest is `?1`. */
function ofStatement(sql: string): Damage<Folder>['do'] {
  return async (place, { statements }) => {
    change(place, sql, statements[12]?.jcsCid.digest ?? null);
  };
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
const seq = '(SELECT seq FROM statements WHERE jcs_digest = ?1)';
const role = (name: string) => `(SELECT id FROM names WHERE name = '${name}')`;

const damages: readonly Damage<Folder>[] = [
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
      const update = 'UPDATE statements SET jcs = ? WHERE jcs_digest = ?';
      change(place, update, Buffer.from(String(jcs).replace('2026', '2025')), jcsCid.digest);
      return () => change(place, update, jcs, jcsCid.digest);
    },
    finds: (filled) => [['statement', statement(filled)]],
    after: 'kept',
  },
  {
    name: 'the kind of a statement that is not its own',
    do: ofStatement("UPDATE statements SET kind = 'DidRegistration' WHERE jcs_digest = ?1"),
    finds: (filled) => [
      ['statement', statement(filled)],
      ['index', statement(filled)],
      ...Array.from({ length: 3 }, () => ['index', /\[/] as const),
    ],
    after: 'mended',
  },
  {
    name: 'the id of a statement that is not its own',
    do: ofStatement('UPDATE statements SET rdfc_digest = zeroblob(32) WHERE jcs_digest = ?1'),
    finds: (filled) => [
      ['statement', statement(filled)],
      ['index', statement(filled)],
      ['index', statement(filled)],
      ...Array.from({ length: 3 }, () => ['index', /\[/] as const),
    ],
    after: 'mended',
  },
  {
    name: 'the time of a statement that is not its own',
    do: ofStatement('UPDATE statements SET time = time - 86400000 WHERE jcs_digest = ?1'),
    finds: (filled) => [['statement', statement(filled)]],
    after: 'mended',
  },
  {
    name: 'references of a statement that are no JSON',
    do: ofStatement("UPDATE statements SET refs = '[[' WHERE jcs_digest = ?1"),
    finds: (filled) => [
      ['statement', statement(filled)],
      ...Array.from({ length: 3 }, () => ['index', /\[/] as const),
    ],
    after: 'mended',
  },
  {
    name: 'a missing reference in the entries',
    do: ofStatement(`DELETE FROM entries_0 WHERE role = ${role('registeredBy')} AND seq = ${seq}`),
    finds: (filled) => [
      ['index', statement(filled)],
      ['count', 'entries_0'],
    ],
    after: 'mended',
  },
  {
    name: 'a statement without an entry for its jcs_cid',
    do: ofStatement(`DELETE FROM entries_0 WHERE role = 0 AND seq = ${seq}`),
    finds: (filled) => [
      ['index', statement(filled)],
      ['count', 'entries_0'],
    ],
    after: 'mended',
  },
  {
    name: 'an entry that no row has',
    do: ofStatement(
      `INSERT INTO entries_1 SELECT target, trusted, 999, kind, seq FROM entries
       WHERE role = ${role('registeredBy')} AND seq = ${seq}`,
    ),
    finds: () => [
      ['index', /999/],
      ['count', 'entries_1'],
    ],
    after: 'mended',
  },
  {
    name: 'an entry that takes the place of another',
    do: ofStatement(`UPDATE entries_0 SET trusted = 0 WHERE role = ${role('registeredBy')} AND seq = ${seq}`),
    finds: (filled) => [
      ['index', statement(filled)],
      ['index', /,0,/],
    ],
    after: 'mended',
  },
  {
    name: 'an entry that two levels have',
    do: ofStatement(`INSERT INTO entries_2 SELECT * FROM entries_0 WHERE role = 1 AND seq = ${seq}`),
    finds: () => [
      ['index', /,1,/],
      ['count', 'entries_2'],
    ],
    after: 'mended',
  },
  {
    name: 'a level that is said to have more than it has',
    do: async (place) => change(place, "UPDATE levels SET size = size + 7 WHERE name = 'graph_order_0'"),
    finds: () => [['count', 'graph_order_0']],
    after: 'mended',
  },
  {
    name: 'a role whose name is lost',
    do: async (place) => change(place, "DELETE FROM names WHERE name = 'data'"),
    finds: ({ statements }) =>
      statements.flatMap(({ jcsCid, references }) => {
        const lost = references.filter((reference) => reference.role === 'data');
        const strange = lost.map(() => ['index', /\[/] as const);
        return lost.length > 0 ? [['index', jcsCid.text] as const, ...strange] : [];
      }),
    after: 'mended',
  },
  {
    name: 'a wrong count of statements',
    do: async (place, { child }) =>
      change(place, 'UPDATE graphs SET statements = statements + 1 WHERE graph_id = ?', child.graphId),
    finds: ({ child }) => [['count', child.graphId]],
    after: 'mended',
  },
  {
    name: 'a statement in a graph that does not exist',
    do: ofStatement(
      `INSERT INTO statement_graphs SELECT seq, 99, 999 FROM statement_graphs WHERE position = 0 AND seq = ${seq}`,
    ),
    finds: (filled) => [['membership', statement(filled)]],
    after: 'mended',
  },
  {
    name: 'a graph with a statement that does not exist',
    do: async (place) => change(place, 'INSERT INTO statement_graphs VALUES (9999, 0, 1)'),
    finds: ({ root }) => [
      ['membership', 'number 9999'],
      ['count', root.graphId],
    ],
    after: 'mended',
  },
  {
    name: 'a statement out of the order of its graph',
    do: ofStatement(`DELETE FROM graph_order_0 WHERE seq = ${seq} AND graph = 1`),
    finds: (filled) => [
      ['index', statement(filled)],
      ['count', 'graph_order_0'],
    ],
    after: 'mended',
  },
  {
    name: 'a block of times that is too narrow',
    do: async (place) => change(place, 'UPDATE time_blocks SET newest = oldest'),
    finds: () => [['index', 'time block 0']],
    after: 'mended',
  },
  {
    name: 'a missing block of times',
    do: async (place) => change(place, 'DELETE FROM time_blocks'),
    finds: () => [['index', 'time block 0']],
    after: 'mended',
  },
  {
    name: 'an index of SQLite that lacks rows',
    do: async (place) => {
      change(
        place,
        `DROP INDEX statements_by_kind;
         CREATE INDEX statements_by_kind ON statements (kind) WHERE seq <> 3;
         PRAGMA writable_schema = ON;
         UPDATE sqlite_schema SET sql = 'CREATE INDEX statements_by_kind ON statements (kind)'
         WHERE name = 'statements_by_kind'`,
      );
    },
    finds: () => [
      ['index', 'statements_by_kind'],
      ['index', 'statements_by_kind'],
    ],
    after: 'mended',
  },
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
    do: async (place, { child, root }) => {
      const update = 'UPDATE graphs SET project_id = ? WHERE graph_id = ?';
      change(place, update, 'other', child.graphId);
      return () => change(place, update, root.projectId, child.graphId);
    },
    finds: ({ child }) => [['graph', child.graphId]],
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

describe('the audit of an embedded store', () => {
  storeAuditContract(newPlace, damages);

  test('changes nothing, be it that a process was interrupted', async () => {
    const path = await temporaryFolder();
    {
      await using store = await openEmbedded(path);
      await fill(store);
      await (await store.graphImports.begin('p')).put([]);
    }
    await writeFile(join(path, 'staging', 'half'), 'half');
    const before = await readFile(join(path, 'cairn.db'));
    await using audit = await openEmbeddedAudit(path);
    expect((await runAudit(audit)).summary).toMatchObject({ damaged: 0, leftovers: 2, repaired: 0 });
    await audit[Symbol.asyncDispose]();
    expect((await readFile(join(path, 'cairn.db'))).equals(before)).toBe(true);
    expect(readdirSync(join(path, 'staging'))).toEqual(['half']);
  });

  test('goes on past a database that cannot be read', async () => {
    const path = await temporaryFolder();
    {
      await using store = await openEmbedded(path);
      await fill(store);
    }
    await damageTable(path, 'statements');
    await using audit = await openEmbeddedAudit(path);
    const { faults, summary } = await runAudit(audit, { repair: true });
    expect(faults).toContainEqual(expect.objectContaining({ kind: 'database', id: 'statements' }));
    expect(summary.damaged).toBeGreaterThan(1);
    expect(summary.blobs).toBeGreaterThan(6);
  });

  test('tells of files among the blobs that are none, and leaves them', async () => {
    const path = await temporaryFolder();
    {
      await using store = await openEmbedded(path);
      await fill(store);
    }
    await mkdir(join(path, 'blobs', 'zz'));
    await writeFile(join(path, 'blobs', 'zz', 'notes.txt'), 'mine');
    await using audit = await openEmbeddedAudit(path);
    const { faults } = await runAudit(audit, { repair: true });
    expect(faults).toMatchObject([
      { kind: 'blob', id: 'zz/notes.txt', severity: 'leftover', repair: 'none' },
    ]);
    expect(await readFile(join(path, 'blobs', 'zz', 'notes.txt'), 'utf8')).toBe('mine');
  });

  test('tells of a session whose user does not exist: it lets nobody in, and goes by itself', async () => {
    const path = await temporaryFolder();
    {
      await using store = await openEmbedded(path);
      const [key, userId] = ['a-key', randomUUID()];
      const times = { createdAt: 1, lastSeenAt: 1, expiresAt: 2 ** 42 };
      await store.sessions.add({ key, userId, issuer: 'i', subject: 's', sealedIdToken: null, ...times });
    }
    await using audit = await openEmbeddedAudit(path);
    const { faults, summary } = await runAudit(audit, { repair: true });
    expect(faults).toMatchObject([{ kind: 'session', id: 'a-key', severity: 'leftover', repair: 'none' }]);
    expect(summary).toMatchObject({ sessions: 1, damaged: 0, leftovers: 1 });
  });

  test('is refused where there is no store, and makes none', async () => {
    const path = await temporaryFolder();
    await expect(openEmbeddedAudit(path)).rejects.toMatchObject({ code: 'not_found' });
    expect(readdirSync(path)).toEqual([]);
  });

  test('is refused while a service has the folder', async () => {
    const path = await temporaryFolder();
    await using _store = await openEmbedded(path);
    await expect(openEmbeddedAudit(path)).rejects.toMatchObject({
      code: 'unavailable',
      message: expect.stringContaining('Stop that one'),
    });
  });
});
