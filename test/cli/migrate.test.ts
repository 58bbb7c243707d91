import { randomUUID } from 'node:crypto';
import { existsSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, test } from 'vitest';
import { type OpenedMigration, openMigration } from '../../src/composition/maintenance.ts';
import type { MigrationMemory, MigrationState } from '../../src/domain/maintenance/migration/ports.ts';
import { openEmbedded } from '../../src/storage/embedded/open-embedded.ts';
import { identified, newGraph } from '../contract/filled-store.ts';
import { blobUrn, ownStatement } from '../domain/samples.ts';
import { damageTable } from '../storage/damage.ts';
import { change } from '../storage/embedded/damages.ts';
import { answersOf, env, filledFolder, longMigration, newIdentifier, served } from './migrate-samples.ts';
import { cairn, temporaryFolder } from './run-cairn.ts';

describe('cairn migrate', () => {
  test('brings everything from one folder into another, and finds everything known the second time', async () => {
    using folder = temporaryFolder();
    const [from, to] = [join(folder.path, 'from'), join(folder.path, 'to')];
    const filled = await filledFolder(from);
    const args = ['migrate', '--from', from, '--to', to, '--json'];
    const first = await cairn(args, { env });
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
    const second = await cairn(args, { env });
    expect(JSON.parse(second.stdout)).toMatchObject({ summary: { ...summary, stored: 0 } });
    expect((await cairn(['fsck', '--data-dir', to], { env })).code).toBe(0);
  });

  test('lists what is damaged, and brings the rest', async () => {
    using folder = temporaryFolder();
    const [from, to] = [join(folder.path, 'from'), join(folder.path, 'to')];
    const { statements, blob, imported, unverified } = await filledFolder(from);
    const [gone, wrong] = [statements[12] ?? expect.fail(), statements[13] ?? expect.fail()];
    damage(from, "UPDATE verified_rows SET jcs = x'7b7d' WHERE jcs_digest = ?", gone.jcsCid.digest);
    damage(from, "UPDATE verified_rows SET kind = 'Wrong' WHERE jcs_digest = ?", wrong.jcsCid.digest);
    const { code, stdout, stderr } = await cairn(['migrate', '--from', from, '--to', to], { env });
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
    const run = await cairn(['migrate', '--from', from, '--to', to], { env });
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
    const run = await cairn(['migrate', '--from', from, '--to', to], { env });
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
    await damageTable(from, 'verified_rows');
    const run = await cairn(['migrate', '--from', from, '--to', to], { env });
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
    const { code, stderr } = await cairn(['migrate', '--from', from, '--to', to], { env });
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
    const run = async (...args: string[]) => await cairn(['migrate', ...args], { env });
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

  test('brings what the source has gained between an interruption and the next run', async () => {
    using folder = temporaryFolder();
    const { from, to } = await longMigration(folder.path, 450);
    const memory = newMemory();
    await migrateFirstPage(from, to, memory);
    {
      await using store = await openEmbedded(from);
      const graph = newGraph('later');
      await store.graphs.add(graph);
      const oldest = ownStatement('DataRegistration', { data: blobUrn('many 0') });
      const again = await identified(newIdentifier(), oldest);
      expect(await store.statements.putMany([again], graph.graphId)).toEqual(['joined']);
    }
    expect(await problemsOfMigration(from, to, memory)).toEqual([]);
    expect(await served({ CAIRN_DATA_DIR: to })).toEqual(await served({ CAIRN_DATA_DIR: from }));
  });

  test('tells damage again that an interrupted run has told, as nobody may have seen it', async () => {
    using folder = temporaryFolder();
    const [from, to] = [join(folder.path, 'from'), join(folder.path, 'to')];
    const { statements } = await filledFolder(from);
    const gone = statements[0] ?? expect.fail();
    damage(from, "UPDATE verified_rows SET jcs = x'7b7d' WHERE jcs_digest = ?", gone.jcsCid.digest);
    const memory = newMemory();
    for (const _run of ['interrupted', 'again']) {
      await using migration = await openFolders(from, to);
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
    const { from, to } = await longMigration(folder.path, 450);
    const memory = newMemory();
    await migrateFirstPage(from, to, memory);
    renameSync(to, join(folder.path, 'elsewhere'));
    expect(await problemsOfMigration(from, to, memory)).toEqual([]);
    expect(await served({ CAIRN_DATA_DIR: to })).toEqual(await served({ CAIRN_DATA_DIR: from }));
  });
});

interface Memory extends MigrationMemory {
  state: MigrationState | undefined;
}

function newMemory(): Memory {
  return {
    state: undefined,
    read() {
      return this.state;
    },
    write(state) {
      this.state = state;
    },
  };
}

async function openFolders(from: string, to: string): Promise<OpenedMigration> {
  const settings = (dataDir: string) => ({ dataDir, mongodbUrl: null, mongodbDatabase: '', startWait: 0 });
  return await openMigration({ from: settings(from), to: settings(to), workers: 1 }, () => {});
}

async function problemsOfMigration(from: string, to: string, memory: MigrationMemory) {
  await using migration = await openFolders(from, to);
  return await Array.fromAsync(migration.run(memory, () => {}));
}

/** Interrupts a migration as soon as it has stored some of its statements. */
async function migrateFirstPage(from: string, to: string, memory: Memory): Promise<void> {
  const interrupting: MigrationMemory = {
    read: () => memory.read(),
    write(state) {
      memory.write(state);
      if (state.done > 0) throw new Error('interrupted');
    },
  };
  await expect(problemsOfMigration(from, to, interrupting)).rejects.toThrow('interrupted');
}

function damage(path: string, sql: string, digest: Uint8Array): void {
  const database = new DatabaseSync(join(path, 'cairn.db'));
  database.prepare(sql).run(digest);
  database.close();
}
