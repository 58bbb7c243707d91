import { hash, randomUUID } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { pino } from 'pino';
import { describe, expect, test, vi } from 'vitest';
import { openMigration } from '../../src/composition/maintenance.ts';
import { ContextWorld } from '../../src/domain/integrity/contexts/world.ts';
import { StatementIdentifier } from '../../src/domain/integrity/identification/identify.ts';
import type { MigrationState } from '../../src/domain/maintenance/migration/ports.ts';
import { openIntegrity } from '../../src/integrity.ts';
import { readSettings } from '../../src/platform/settings/settings.ts';
import { openEmbedded } from '../../src/storage/embedded/open-embedded.ts';
import { answers, type Filled, fill, identified, keep, newGraph } from '../contract/filled-store.ts';
import { blobUrn, did, type Json, ownStatement } from '../domain/samples.ts';
import { newServiceStore } from '../http/service-store.ts';
import { damageTable } from '../storage/damage.ts';
import { change } from '../storage/embedded/damages.ts';
import { describeMongo } from '../storage/mongo/database.ts';
import { cairn, type Environment, startCairn, temporaryFolder } from './run-cairn.ts';

const env = { CAIRN_WORKERS: '1' };

/** A filled data folder. */
async function filledFolder(path: string): Promise<Filled> {
  await using store = await openEmbedded(path);
  return await fill(store);
}

async function answersOf(path: string, filled: Filled) {
  await using store = await openEmbedded(path);
  return await answers(store, filled);
}

/** What a service on a store answers: everything as one manifest, the newest statements, what was made from what. */
async function served(environment: Environment) {
  const settings = readSettings({ ...environment, CAIRN_WORKERS: '1', CAIRN_LOG_LEVEL: 'silent' });
  await using integrity = await openIntegrity(settings, pino({ level: 'silent' }));
  const get = async (path: string, accept = 'application/json') => {
    const response = await integrity.app.request(path, { headers: { accept } });
    expect(response.status).toBe(200);
    return await response.bytes();
  };
  const json = async (path: string) => JSON.parse(Buffer.from(await get(path)).toString());
  const everything = '/manifest/v1?include_context=true&include_blobs=true';
  const { statements } = await json('/statements/v1?limit=1000');
  const { references } = await json(`/cid/v1/find/${did}?limit=1000`);
  return {
    manifest: digest(await get(everything)),
    car: digest(await get(everything, 'application/vnd.ipld.car')),
    statements: statements.map(({ statement, graph_ids }: Json) => [statement, graph_ids]),
    references,
    lineage: await json(`/lineage/v1/${did}?direction=both`),
    graphs: await json('/graph/v1'),
  };
}

const digest = (bytes: Uint8Array) => hash('sha256', bytes);
/** Each starts several processes, one after the other. */
const timeout = 120_000;

describe('cairn migrate', { timeout }, () => {
  test('brings everything from one folder into another, and finds everything known the second time', async () => {
    using folder = temporaryFolder();
    const [from, to] = [join(folder.path, 'from'), join(folder.path, 'to')];
    const filled = await filledFolder(from);
    const args = ['migrate', '--from', from, '--to', to, '--json'];
    const first = await cairn(args, { env, cwd: folder.path });
    expect(first).toMatchObject({ code: 0 });
    const summary = {
      graphs: 4,
      statements: filled.statements.length + 1,
      users: 2,
      auditRecords: 3,
      leftOut: 0,
    };
    expect(JSON.parse(first.stdout)).toMatchObject({ summary });
    expect(first.stderr).toContain(join(from, 'signing-key.json'));
    expect(await served({ CAIRN_DATA_DIR: to })).toEqual(await served({ CAIRN_DATA_DIR: from }));
    expect(await answersOf(to, filled)).toEqual(await answersOf(from, filled));
    const second = await cairn(args, { env, cwd: folder.path });
    expect(JSON.parse(second.stdout)).toMatchObject({ summary: { ...summary, stored: 0 } });
    expect((await cairn(['fsck', '--data-dir', to], { env })).code).toBe(0);
  });

  test('lists what is damaged, and brings the rest', async () => {
    using folder = temporaryFolder();
    const [from, to] = [join(folder.path, 'from'), join(folder.path, 'to')];
    const { statements, blob, imported, unverified } = await filledFolder(from);
    const [gone, wrong] = [statements[12] ?? expect.fail(), statements[13] ?? expect.fail()];
    damage(from, "UPDATE statements SET jcs = x'7b7d' WHERE jcs_digest = ?", gone.jcsCid.digest);
    damage(from, "UPDATE statements SET kind = 'Wrong' WHERE jcs_digest = ?", wrong.jcsCid.digest);
    const { code, stdout, stderr } = await cairn(['migrate', '--from', from, '--to', to], {
      env,
      cwd: folder.path,
    });
    expect(code).toBe(1);
    expect(stdout.trimEnd().split('\n')).toEqual([
      expect.stringMatching(`^statement  ${gone.jcsCid.text}  Left out: .*jcs_cid`),
      expect.stringMatching(`^statement  ${wrong.jcsCid.text}  .*"Wrong".* Repaired.$`),
      expect.stringMatching(/1 LEFT OUT$/),
    ]);
    expect(stderr).toContain('not in the target');
    await using store = await openEmbedded(to);
    const visible = { projects: 'all' } as const;
    expect(await store.statements.byJcsCid(gone.jcsCid, visible)).toBeUndefined();
    expect(await store.statements.byJcsCid(wrong.jcsCid, visible)).toMatchObject({ kind: wrong.kind });
    expect(await store.blobs.size(blob)).toBe(1_500_000);
    expect(await store.graphContents.count(imported.graphId, [unverified.jcsCid])).toBe(1);
  });

  test('leaves out users and audit records that nobody can read, and does not count them', async () => {
    using folder = temporaryFolder();
    const [from, to] = [join(folder.path, 'from'), join(folder.path, 'to')];
    const { user, auditRecord } = await filledFolder(from);
    change({ path: from }, 'UPDATE users SET role = ? WHERE id = ?', 'owner', user.id);
    change({ path: from }, 'UPDATE audit_log SET details = ? WHERE id = ?', '{', auditRecord.id);
    const run = await cairn(['migrate', '--from', from, '--to', to], { env, cwd: folder.path });
    expect({ code: run.code, lines: run.stdout.trimEnd().split('\n') }).toEqual({
      code: 1,
      lines: [
        expect.stringMatching(`^user  ${user.id}  Left out: .* Put it right in the source and repeat\\.$`),
        expect.stringMatching(`^audit record  ${auditRecord.id}  Left out: .* repeat\\.$`),
        expect.stringMatching(/ 1 users are there, .* and 2 audit records, 2 LEFT OUT$/),
      ],
    });
  });

  test('lists damage of graphs, which are brought as they are', async () => {
    using folder = temporaryFolder();
    const [from, to] = [join(folder.path, 'from'), join(folder.path, 'to')];
    const { child, imported, context } = await filledFolder(from);
    change({ path: from }, 'UPDATE graphs SET parent_id = ? WHERE graph_id = ?', randomUUID(), child.graphId);
    change({ path: from }, 'UPDATE graph_anchors SET cid = ?', 'none');
    const run = await cairn(['migrate', '--from', from, '--to', to], { env, cwd: folder.path });
    expect({ code: run.code, lines: run.stdout.trimEnd().split('\n') }).toEqual({
      code: 1,
      lines: [
        expect.stringMatching(`^graph  ${child.graphId}  Brought as it is: Its parent .* does not exist`),
        expect.stringMatching(`^attachment  ${imported.graphId}  Brought as it is: The document none`),
        expect.stringMatching(/, 2 DAMAGED$/),
      ],
    });
    expect(run.stderr).toContain('damaged there');
    await using store = await openEmbedded(to);
    const { contexts } = await store.graphContents.attachments([imported.graphId], { projects: 'all' });
    expect(contexts.map(({ cid }) => cid)).toEqual([context.text]);
  });

  test('brings what can still be read of a source whose database is damaged', async () => {
    using folder = temporaryFolder();
    const [from, to] = [join(folder.path, 'from'), join(folder.path, 'to')];
    const { root, blob } = await filledFolder(from);
    await damageTable(from, 'statements');
    const run = await cairn(['migrate', '--from', from, '--to', to], { env, cwd: folder.path });
    expect(run.code, run.stderr).toBe(1);
    expect(run.stdout).toMatch(
      /^database {2}statements {2}The database is damaged: .*nothing behind that was read/,
    );
    await using store = await openEmbedded(to);
    expect(await store.blobs.size(blob)).toBe(1_500_000);
    expect(await store.graphs.get(root.graphId)).toEqual(root);
  });

  test('refuses a target with other content under the same graphs, and changes nothing there', async () => {
    using folder = temporaryFolder();
    const [from, to] = [join(folder.path, 'from'), join(folder.path, 'to')];
    const { root, statements } = await filledFolder(from);
    {
      await using store = await openEmbedded(to);
      await store.graphs.add(root);
      const other = ownStatement('DataRegistration', { data: blobUrn('of the target alone') });
      await store.statements.putMany([await identified(newIdentifier(), other)], root.graphId);
    }
    const { code, stderr } = await cairn(['migrate', '--from', from, '--to', to], { env, cwd: folder.path });
    expect({ code, stderr }).toEqual({
      code: 2,
      stderr: expect.stringMatching(new RegExp(`The graph ${root.graphId} has statements there`)),
    });
    await using store = await openEmbedded(to);
    const [first] = statements;
    expect(
      await store.statements.byJcsCid(first?.jcsCid ?? expect.fail(), { projects: 'all' }),
    ).toBeUndefined();
  });

  test('ends with 2 when it is used wrongly, and on a source that is not there or in use', async () => {
    using folder = temporaryFolder();
    const [from, to] = [join(folder.path, 'from'), join(folder.path, 'to')];
    const run = async (...args: string[]) => await cairn(['migrate', ...args], { env, cwd: folder.path });
    expect((await run('--from', from)).code).toBe(2);
    expect(await run('--from', from, '--to', from)).toMatchObject({ code: 2, stdout: '' });
    expect(await run('--from', from, '--to', to)).toMatchObject({
      code: 2,
      stderr: expect.stringContaining(`There is no store in ${from}`),
    });
    expect(existsSync(to)).toBe(false);
    await using _store = await openEmbedded(from);
    expect((await run('--from', from, '--to', to)).stderr).toContain('Stop that one');
  });

  test('goes on where it was killed, without a trace of that in what is answered', async () => {
    using folder = temporaryFolder();
    const { from, to, state, options, args } = await longMigration(folder.path);
    let interrupted = 0;
    for (let round = 1; round <= 3; round += 1)
      if (await isKilledMidway(args, options, state)) interrupted += 1;
    expect(interrupted).toBeGreaterThan(0);
    const last = await cairn(args, options);
    expect(last.code, last.stderr).toBe(0);
    expect(await served({ CAIRN_DATA_DIR: to })).toEqual(await served({ CAIRN_DATA_DIR: from }));
    expect(readdirSync(join(state, 'cairn', 'migrate'))).toEqual([]);
  });

  test('brings what the source has gained between an interruption and the next run', async () => {
    using folder = temporaryFolder();
    const { from, to, state, options, args } = await longMigration(folder.path);
    expect(await isKilledMidway(args, options, state)).toBe(true);
    {
      await using store = await openEmbedded(from);
      const graph = newGraph('later');
      await store.graphs.add(graph);
      const oldest = ownStatement('DataRegistration', { data: blobUrn('many 0') });
      const again = await identified(newIdentifier(), oldest);
      expect(await store.statements.putMany([again], graph.graphId)).toEqual(['joined']);
    }
    const last = await cairn(args, options);
    expect(last.code, last.stderr).toBe(0);
    expect(await served({ CAIRN_DATA_DIR: to })).toEqual(await served({ CAIRN_DATA_DIR: from }));
  });

  test('tells damage again that an interrupted run has told, as nobody may have seen it', async () => {
    using folder = temporaryFolder();
    const [from, to] = [join(folder.path, 'from'), join(folder.path, 'to')];
    const { statements } = await filledFolder(from);
    const gone = statements[0] ?? expect.fail();
    damage(from, "UPDATE statements SET jcs = x'7b7d' WHERE jcs_digest = ?", gone.jcsCid.digest);
    let state: MigrationState | undefined;
    const memory = {
      read: () => state,
      write(next: MigrationState) {
        state = next;
      },
    };
    const settings = (dataDir: string) => ({ dataDir, mongodbUrl: null, mongodbDatabase: '', startWait: 0 });
    for (const _run of ['interrupted', 'again']) {
      const stores = { from: settings(from), to: settings(to), workers: 1 };
      await using migration = await openMigration(stores, () => {});
      const told: string[] = [];
      for await (const { id } of migration.run(memory, () => {})) {
        told.push(id);
        break;
      }
      expect(told).toEqual([gone.jcsCid.text]);
    }
  });

  test('begins anew when the target has lost what an earlier run has brought', async () => {
    using folder = temporaryFolder();
    const { from, to, state, options, args } = await longMigration(folder.path);
    expect(await isKilledMidway(args, options, state)).toBe(true);
    const elsewhere = join(folder.path, 'elsewhere');
    renameSync(to, elsewhere);
    expect((await cairn(args, options)).code).toBe(0);
    expect(await served({ CAIRN_DATA_DIR: to })).toEqual(await served({ CAIRN_DATA_DIR: from }));
  });
});

describeMongo('cairn migrate with MongoDB', () => {
  vi.setConfig({ testTimeout: timeout });

  test('brings a folder into a database and back, and nothing is answered otherwise', async () => {
    using folder = temporaryFolder();
    await using target = await newServiceStore('mongodb');
    const { CAIRN_MONGODB_URL: url = '', CAIRN_MONGODB_DATABASE: name = '' } = target.environment;
    const [from, back] = [join(folder.path, 'from'), join(folder.path, 'back')];
    const filled = await filledFolder(from);
    await manyStatements(from);
    const there = ['migrate', '--from', from, '--to', url, '--to-database', name];
    const first = await cairn(there, { env, cwd: folder.path });
    expect(first.code, first.stderr).toBe(0);
    const again = ['migrate', '--from', url, '--from-database', name, '--to', back];
    const second = await cairn(again, { env, cwd: folder.path });
    expect(second.code, second.stderr).toBe(0);
    const expected = await served({ CAIRN_DATA_DIR: from });
    expect(await served(target.environment)).toEqual(expected);
    expect(await served({ CAIRN_DATA_DIR: back })).toEqual(expected);
    expect(await answersOf(back, filled)).toEqual(await answersOf(from, filled));
    expect((await cairn(['fsck'], { env: { ...target.environment, ...env } })).code).toBe(0);
    expect((await cairn(['fsck', '--data-dir', back], { env })).code).toBe(0);
  });

  test('leaves out what is too large for a document, and brings the rest', async () => {
    using folder = temporaryFolder();
    await using target = await newServiceStore('mongodb');
    const { CAIRN_MONGODB_URL: url = '', CAIRN_MONGODB_DATABASE: name = '' } = target.environment;
    const from = join(folder.path, 'from');
    await filledFolder(from);
    const payload = Buffer.alloc(12 << 20, 'large').toString('base64');
    const large = await identified(
      newIdentifier(),
      ownStatement('CredentialRegistration', {
        credentialDsse: { payloadType: 'text/plain', payload, signatures: [{ keyid: 'one', sig: 'c2ln' }] },
      }),
    );
    const last = await identified(
      newIdentifier(),
      ownStatement('DataRegistration', { data: blobUrn('last') }),
    );
    {
      await using store = await openEmbedded(from);
      await store.statements.putMany([large, last], null);
    }
    const run = await cairn(['migrate', '--from', from, '--to', url, '--to-database', name], {
      env,
      cwd: folder.path,
    });
    expect(run.code, run.stderr).toBe(1);
    expect(run.stdout).toMatch(new RegExp(`^statement  ${large.jcsCid.text}  Left out: .* more than`));
    await using integrity = await openIntegrity(
      readSettings({ ...target.environment, ...env }),
      pino({ level: 'silent' }),
    );
    const status = async (cid: string) => (await integrity.app.request(`/statements/v1/id/${cid}`)).status;
    expect([await status(large.rdfcCid.text), await status(last.rdfcCid.text)]).toEqual([404, 200]);
  });

  test('goes on where it was killed', async () => {
    using folder = temporaryFolder();
    await using target = await newServiceStore('mongodb');
    const { CAIRN_MONGODB_URL: url = '', CAIRN_MONGODB_DATABASE: name = '' } = target.environment;
    const { from, state, options } = await longMigration(folder.path);
    const args = ['migrate', '--from', from, '--to', url, '--to-database', name];
    for (let round = 1; round <= 2; round += 1) await isKilledMidway(args, options, state);
    const last = await cairn(args, options);
    expect(last.code, last.stderr).toBe(0);
    expect(await served(target.environment)).toEqual(await served({ CAIRN_DATA_DIR: from }));
  });
});

/** A migration that takes long enough to be interrupted. */
async function longMigration(folder: string) {
  const [from, to, state] = [join(folder, 'from'), join(folder, 'to'), join(folder, 'state')];
  await manyStatements(from);
  const options = { env: { ...env, XDG_STATE_HOME: state }, cwd: folder };
  return { from, to, state, options, args: ['migrate', '--from', from, '--to', to, '--json'] };
}

/** Statements in several graphs by turns, some of them in more than one. */
async function manyStatements(path: string): Promise<void> {
  await using store = await openEmbedded(path);
  const graphs = [newGraph('one'), newGraph('two'), newGraph('three')];
  for (const graph of graphs) await store.graphs.add(graph);
  const identifier = newIdentifier();
  const rows = await Promise.all(
    Array.from({ length: 1_500 }, (_, at) =>
      identified(identifier, ownStatement('DataRegistration', { data: blobUrn(`many ${at}`) })),
    ),
  );
  for (const { contexts } of rows.slice(0, 1)) await keep(store.blobs, identifier.world, contexts);
  for (let at = 0; at < rows.length; at += 150) {
    const part = rows.slice(at, at + 150);
    await store.statements.putMany(part, graphs[(at / 150) % 3]?.graphId ?? null);
    await store.statements.putMany(part.slice(0, 10), graphs[(at / 150 + 1) % 3]?.graphId ?? null);
  }
}

function newIdentifier(): StatementIdentifier {
  return new StatementIdentifier(ContextWorld.bundled());
}

function damage(path: string, sql: string, digest: Uint8Array): void {
  const database = new DatabaseSync(join(path, 'cairn.db'));
  database.prepare(sql).run(digest);
  database.close();
}

/** Kills a migration as soon as it has brought more than the one before. @returns whether that came before its end. */
async function isKilledMidway(
  args: readonly string[],
  options: Parameters<typeof startCairn>[1],
  state: string,
): Promise<boolean> {
  using running = startCairn(args, options);
  const before = doneIn(state);
  await expect.poll(() => doneIn(state) > before || running.child.exitCode !== null).toBe(true);
  running.child.kill('SIGKILL');
  return (await running.done).code === null;
}

/** How many statements a migration remembers to have brought. */
function doneIn(state: string): number {
  const folder = join(state, 'cairn', 'migrate');
  const names = existsSync(folder) ? readdirSync(folder).filter((name) => name.endsWith('.json')) : [];
  const [file] = names;
  return file ? Number(JSON.parse(readFileSync(join(folder, file), 'utf8')).state.done) : 0;
}
