import { readdirSync } from 'node:fs';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { levelTables } from '../../../src/storage/embedded/index/levels.ts';
import { openEmbedded, openEmbeddedCheck } from '../../../src/storage/open.ts';
import { row } from '../../builders/rows.ts';
import { fill } from '../../contract/filled-store.ts';
import { fsckCredentialsContract } from '../../contract/fsck-credentials.ts';
import { runFsck, storeFsckContract } from '../../contract/store-fsck.ts';
import { damageTable } from '../damage.ts';
import { temporaryFolder } from '../temporary-folder.ts';
import { change, contentDamages, derivedDamages, newPlace, orphans, storedTwice } from './damages.ts';

describe('an embedded store', () => {
  storeFsckContract(newPlace, { derived: derivedDamages, content: contentDamages, orphans });
  fsckCredentialsContract(newPlace);

  test('is sound after one repair, if a statement that gives a name was stored twice', async () => {
    await using place = await newPlace();
    {
      await using store = await place.open();
      await fill(store);
    }
    const names = "SELECT '%' || json_extract(record, '$.subject') || '%' FROM names";
    const named = `SELECT seq FROM verified_rows
      WHERE CAST(jcs AS TEXT) LIKE '%MetadataRegistration%' AND CAST(jcs AS TEXT) LIKE (${names})`;
    await storedTwice(named).do(place, 0);
    const run = async (repair: boolean) => {
      await using fsck = await place.fsck();
      return (await runFsck(fsck, { repair })).problems;
    };
    expect(await run(true)).toContainEqual(expect.objectContaining({ kind: 'duplicate', repair: 'done' }));
    expect(await run(false)).toEqual([]);
  });

  test('is not changed by fsck, even after an interruption', async () => {
    const path = await temporaryFolder();
    {
      await using store = await openEmbedded(path);
      await fill(store);
      await (await store.graphImports.begin('p')).put([]);
    }
    await writeFile(join(path, 'staging', 'half'), 'half');
    const before = await readFile(join(path, 'cairn.db'));
    await using fsck = await openEmbeddedCheck(path);
    expect((await runFsck(fsck)).summary).toMatchObject({ damaged: 0, orphans: 2, repaired: 0 });
    await fsck[Symbol.asyncDispose]();
    expect((await readFile(join(path, 'cairn.db'))).equals(before)).toBe(true);
    expect(readdirSync(join(path, 'staging'))).toEqual(['half']);
  });

  test('is checked further where its database cannot be read', async () => {
    const path = await temporaryFolder();
    {
      await using store = await openEmbedded(path);
      await fill(store);
    }
    await damageTable(path, 'verified_rows');
    await using fsck = await openEmbeddedCheck(path);
    const { problems, summary } = await runFsck(fsck, { repair: true });
    expect(problems).toContainEqual(expect.objectContaining({ kind: 'database', id: 'statements' }));
    expect(summary.damaged).toBeGreaterThan(1);
    expect(summary.blobs).toBeGreaterThan(6);
  });

  test('checks the entries of every statement, recent or settled', async () => {
    const path = await temporaryFolder();
    {
      await using store = await openEmbedded(path);
      const graph = { graphId: 'g', name: 'g', parentId: null, projectId: 'g' };
      await store.graphs.add(graph);
      const references = ['a', 'b', 'c', 'd'].map((identifier) => ({ role: 'data', identifier }));
      const rows = Array.from({ length: 2_500 }, (_, at) => row(`row ${at}`, { references }));
      for (let at = 0; at < rows.length; at += 500)
        await store.statements.putMany(rows.slice(at, at + 500), graph.graphId);
    }
    const problems = async (repair = false) => {
      await using fsck = await openEmbeddedCheck(path);
      const found = await Array.fromAsync(fsck.derived.check());
      if (repair) await fsck.derived.rebuild();
      return found;
    };
    expect(await problems()).toEqual([]);
    for (const set of ['verified_entries', 'verified_order']) {
      for (const table of levelTables({ name: set }))
        change({ path }, `DELETE FROM ${table} WHERE seq = 2400`);
      expect(await problems(true)).toMatchObject([{ kind: 'index', id: set }]);
      expect(await problems()).toEqual([]);
    }
  });

  test('keeps rows of one name with different bytes', async () => {
    const path = await temporaryFolder();
    {
      await using store = await openEmbedded(path);
      await fill(store);
    }
    change(
      { path },
      `INSERT INTO verified_rows
       SELECT 999, jcs_digest, rdfc_digest, kind, time, context_set, refs, x'7b7d' FROM verified_rows WHERE seq = 1`,
    );
    for (const _again of [1, 2]) {
      await using fsck = await openEmbeddedCheck(path);
      const count = await fsck.statementCount();
      const { problems } = await runFsck(fsck, { repair: true });
      expect(problems.filter(({ repair }) => repair === 'none')).toMatchObject([{ kind: 'statement' }]);
      expect(await fsck.statementCount()).toBe(count);
    }
  });

  test('keeps unknown files among its blobs, as a problem', async () => {
    const path = await temporaryFolder();
    {
      await using store = await openEmbedded(path);
      await fill(store);
    }
    await mkdir(join(path, 'blobs', 'zz'));
    await writeFile(join(path, 'blobs', 'zz', 'notes.txt'), 'mine');
    await using fsck = await openEmbeddedCheck(path);
    const { problems } = await runFsck(fsck, { repair: true });
    expect(problems).toMatchObject([
      { kind: 'blob', id: 'zz/notes.txt', severity: 'orphan', repair: 'none' },
    ]);
    expect(await readFile(join(path, 'blobs', 'zz', 'notes.txt'), 'utf8')).toBe('mine');
  });

  test('is not made by fsck where there is none', async () => {
    const path = await temporaryFolder();
    await expect(openEmbeddedCheck(path)).rejects.toMatchObject({ code: 'not_found' });
    expect(readdirSync(path)).toEqual([]);
  });

  test('is not checked while a service has it open', async () => {
    const path = await temporaryFolder();
    await using _store = await openEmbedded(path);
    await expect(openEmbeddedCheck(path)).rejects.toMatchObject({
      code: 'unavailable',
      message: expect.stringContaining('Stop that one'),
    });
  });
});
