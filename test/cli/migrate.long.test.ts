import { randomUUID } from 'node:crypto';
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, test } from 'vitest';
import { openMigration } from '../../src/composition/maintenance.ts';
import { stateRecords } from '../../src/domain/control-plane/gateway/runtime-records.ts';
import { readSealed } from '../../src/domain/control-plane/gateway/sealed-contents.ts';
import type { Migration } from '../../src/domain/maintenance/migration/run.ts';
import { upgradeSteps } from '../../src/domain/maintenance/upgrades/upgrades.ts';
import { openEmbedded } from '../../src/storage/open.ts';
import { newGraph } from '../builders/graphs.ts';
import { counted } from '../builders/put-counts.ts';
import { blobUrn, ownStatement } from '../builders/statements.ts';
import { identified } from '../contract/filled-store.ts';
import { damageTable } from '../storage/damage.ts';
import { change, flip } from '../storage/embedded/damages.ts';
import { answersOf, env, filledFolder, longMigration, newIdentifier, served } from './migrate-samples.ts';
import { cairn, temporaryFolder } from './run-cairn.ts';

describe('cairn migrate', () => {
  test('copies a folder to another, and reports everything as known the second time', async () => {
    using folder = temporaryFolder();
    const [from, to] = [join(folder.path, 'from'), join(folder.path, 'to')];
    const filled = await filledFolder(from);
    const args = ['migrate', '--from', from, '--to', to, '--json'];
    const first = await cairn(args, { env });
    expect(first).toMatchObject({ code: 0 });
    const summary = {
      graphs: 4,
      statements: filled.statements.length + 1,
      records: 11,
      leftOut: 0,
    };
    expect(JSON.parse(first.stdout)).toMatchObject({ summary });
    expect(first.stderr).toContain(join(from, 'signing-key.json'));
    const second = await cairn(args, { env });
    expect(JSON.parse(second.stdout)).toMatchObject({ summary: { ...summary, stored: 0 } });
    // Afterwards, because a service on the target would begin logs of its own.
    expect(await served({ CAIRN_DATA_DIR: to })).toEqual(await served({ CAIRN_DATA_DIR: from }));
    expect(await answersOf(to, filled)).toEqual(await answersOf(from, filled));
    expect((await cairn(['fsck', '--data-dir', to], { env })).code).toBe(0);
  });

  test('lists damaged content and copies the rest', async () => {
    using folder = temporaryFolder();
    const [from, to] = [join(folder.path, 'from'), join(folder.path, 'to')];
    const { statements, blob, imported, unverified } = await filledFolder(from);
    const [gone, wrong] = [statements[12] ?? expect.fail(), statements[13] ?? expect.fail()];
    damage(from, "UPDATE verified_rows SET jcs = x'7b7d' WHERE jcs_digest = ?", gone.jcsCid.digest);
    damage(from, 'UPDATE verified_rows SET kind = 99 WHERE jcs_digest = ?', wrong.jcsCid.digest);
    const { code, stdout, stderr } = await cairn(['migrate', '--from', from, '--to', to], { env });
    expect(code).toBe(1);
    expect(stdout.trimEnd().split('\n')).toEqual([
      expect.stringMatching(`^statement  ${gone.jcsCid.text}  Left out: .*jcs_cid`),
      expect.stringMatching(`^statement  ${wrong.jcsCid.text}  .* were wrong in the source\\. Repaired.$`),
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

  test('leaves out unreadable users and audit records and does not count them', async () => {
    using folder = temporaryFolder();
    const [from, to] = [join(folder.path, 'from'), join(folder.path, 'to')];
    const { user, auditRecord } = await filledFolder(from);
    const damage = (sql: string, id: string) => change({ path: from }, `UPDATE ${sql} WHERE id = ?`, id);
    damage("users SET record = json_set(record, '$.role', 'owner')", user.id);
    damage("audit_log SET record = json_set(record, '$.details', 5)", auditRecord.id);
    const run = await cairn(['migrate', '--from', from, '--to', to], { env });
    expect({ code: run.code, lines: run.stdout.trimEnd().split('\n') }).toEqual({
      code: 1,
      lines: [
        expect.stringMatching(
          `^record  users/${user.id}  Left out: .* Correct it in the source and repeat\\.$`,
        ),
        expect.stringMatching(`^record  audit_log/${auditRecord.id}  Left out: .* repeat\\.$`),
        expect.stringMatching(/ 9 records, .*, 2 LEFT OUT$/),
      ],
    });
  });

  test('leaves out damaged packs of sealed contents and copies the others', async () => {
    using folder = temporaryFolder();
    const [from, to] = [join(folder.path, 'from'), join(folder.path, 'to')];
    const { packName, statePackName, stateId } = await filledFolder(from);
    await flip(join(from, 'sealed', packName), 3);
    writeFileSync(join(from, 'sealed', 'stray'), 'stray');
    const run = await cairn(['migrate', '--from', from, '--to', to], { env });
    expect(run.code).toBe(1);
    expect(run.stdout).toMatch(/ 1 LEFT OUT\n$/);
    expect(run.stdout).toContain(`sealed  ${packName}  Left out: Its bytes do not hash to its name`);
    expect(run.stdout).toMatch(/^orphan sealed {2}stray {2}This is not a pack/m);
    await using store = await openEmbedded(to);
    const state = (await store.of(stateRecords).get(stateId)) ?? expect.fail();
    for (const part of [state.attestation, ...state.blobs])
      expect(await readSealed(store.sealedContents, part)).toHaveLength(part.size);
    expect(await Array.fromAsync(store.sealedContents.names())).toEqual([statePackName]);
  });

  test('lists damaged graphs and copies them unchanged', async () => {
    using folder = temporaryFolder();
    const [from, to] = [join(folder.path, 'from'), join(folder.path, 'to')];
    const { child, imported, context } = await filledFolder(from);
    change({ path: from }, 'UPDATE graphs SET parent_id = ? WHERE graph_id = ?', randomUUID(), child.graphId);
    change({ path: from }, 'UPDATE graph_anchors SET cid = ?', 'none');
    const run = await cairn(['migrate', '--from', from, '--to', to], { env });
    expect({ code: run.code, lines: run.stdout.trimEnd().split('\n') }).toEqual({
      code: 1,
      lines: [
        expect.stringMatching(`^graph  ${child.graphId}  Copied unchanged: Its parent .* does not exist`),
        expect.stringMatching(`^attachment  ${imported.graphId}  Copied unchanged: The document none`),
        expect.stringMatching(/, 2 DAMAGED$/),
      ],
    });
    expect(run.stderr).toContain('damaged in the target');
    await using store = await openEmbedded(to);
    const { contexts } = await store.graphContents.attachments([imported.graphId], { projects: 'all' });
    expect(contexts.map(({ cid }) => cid)).toEqual([context.text]);
  });

  test('copies what can be read from a damaged database', async () => {
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

  test('refuses a source that lacks an upgrade step of the target', async () => {
    using folder = temporaryFolder();
    const [from, to] = [join(folder.path, 'from'), join(folder.path, 'to')];
    await filledFolder(from);
    {
      await using store = await openEmbedded(to);
      const done = { step: '1', title: 'Change it', isBreaking: false, position: null, finishedAt: 1 };
      await store.of(upgradeSteps).insert([done]);
    }
    expect(await cairn(['migrate', '--from', from, '--to', to], { env })).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('upgrade step 1 (Change it)'),
    });
    expect((await cairn(['setup', '--data-dir', from], { env })).code).toBe(0);
    expect((await cairn(['migrate', '--from', from, '--to', to], { env })).code).toBe(0);
  });

  test('refuses a target with other graphs of the same ids and changes nothing', async () => {
    using folder = temporaryFolder();
    const [from, to] = [join(folder.path, 'from'), join(folder.path, 'to')];
    const { root, child, imported, blob } = await filledFolder(from);
    for (const [at, graph, reason] of [
      ['name', { ...root, name: 'other' }, 'has another name, parent or project there'],
      ['attachments', imported, 'has other contexts or anchors there'],
    ] as const) {
      const target = `${to}-${at}`;
      {
        await using store = await openEmbedded(target);
        await store.graphs.add(graph);
      }
      const run = await cairn(['migrate', '--from', from, '--to', target], { env });
      expect(run).toMatchObject({
        code: 2,
        stderr: expect.stringContaining(`The graph ${graph.graphId} ${reason}`),
      });
      await using store = await openEmbedded(target);
      expect(await store.graphs.get(child.graphId)).toBeUndefined();
      expect(await store.blobs.size(blob)).toBeUndefined();
    }
  });

  test('exits with 2 for wrong usage, and for a source that is missing or in use', async () => {
    using folder = temporaryFolder();
    const [from, to] = [join(folder.path, 'from'), join(folder.path, 'to')];
    const run = async (...args: string[]) => await cairn(['migrate', ...args], { env });
    expect((await run('--from', from)).code).toBe(2);
    expect(await run('--from', from, '--to', from)).toMatchObject({ code: 2, stdout: '' });
    expect(await run('--from', from, '--to', to)).toMatchObject({
      code: 2,
      stderr: expect.stringContaining(`There is no store in ${from}. Name the data folder of the service.`),
    });
    expect(existsSync(to)).toBe(false);
    await using _store = await openEmbedded(from);
    expect((await run('--from', from, '--to', to)).stderr).toContain('Stop that one');
  });

  test('copies content that was added between an interruption and the next run', async () => {
    using folder = temporaryFolder();
    const { from, to } = await longMigration(folder.path, 250);
    await copyFirstPage(from, to);
    {
      await using store = await openEmbedded(from);
      const graph = newGraph({ name: 'later' });
      await store.graphs.add(graph);
      const oldest = ownStatement('DataRegistration', { data: blobUrn('many 0') });
      const again = await identified(newIdentifier(), oldest);
      expect(await store.statements.putMany([again], graph.graphId)).toEqual(counted({ joined: 1 }));
    }
    expect(await migrated(from, to)).toEqual([]);
    expect(await served({ CAIRN_DATA_DIR: to })).toEqual(await served({ CAIRN_DATA_DIR: from }));
  });
});

/** @returns the problems. */
async function migrated(from: string, to: string, onProgress: Migration['onProgress'] = () => {}) {
  const settings = (dataDir: string) => ({ dataDir, mongodbUrl: null, mongodbDatabase: '', startWait: 0 });
  const stores = { from: settings(from), to: settings(to), workers: 1 };
  await using migration = await openMigration(stores, () => {});
  return await Array.fromAsync(migration.run(onProgress));
}

/** Interrupts a migration as soon as it has stored some statements. */
async function copyFirstPage(from: string, to: string): Promise<void> {
  const interrupt: Migration['onProgress'] = (part, done) => {
    if (part === 'statements' && done > 0) throw new Error('interrupted');
  };
  await expect(migrated(from, to, interrupt)).rejects.toThrow('interrupted');
}

function damage(path: string, sql: string, digest: Uint8Array): void {
  const database = new DatabaseSync(join(path, 'cairn.db'));
  database.prepare(sql).run(digest);
  database.close();
}
