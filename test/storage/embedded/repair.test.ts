import { expect, test } from 'vitest';
import { openEmbedded, openEmbeddedCheck } from '../../../src/storage/open.ts';
import { row } from '../../builders/rows.ts';
import { temporaryFolder } from '../temporary-folder.ts';
import { change } from './damages.ts';

/** A store with a statement whose project is missing in the index. */
async function damagedStore(): Promise<string> {
  const path = await temporaryFolder();
  {
    await using store = await openEmbedded(path);
    await store.graphs.add({ graphId: 'g', name: 'g', parentId: null, projectId: 'g' });
    await store.statements.putMany([row('one')], 'g');
  }
  change({ path }, 'DELETE FROM verified_projects');
  return path;
}

async function problems(path: string) {
  await using fsck = await openEmbeddedCheck(path);
  return await Array.fromAsync(fsck.derived.check());
}

test('a repair is there when the store is opened again', async () => {
  const path = await damagedStore();
  expect(await problems(path)).toMatchObject([{ id: 'verified_projects' }]);
  {
    await using fsck = await openEmbeddedCheck(path);
    await fsck.derived.rebuild();
  }
  expect(await problems(path)).toEqual([]);
});

test('a repair that fails changes nothing, and can be repeated', async () => {
  const path = await damagedStore();
  const refuse = `CREATE TRIGGER refuse BEFORE INSERT ON verified_projects BEGIN SELECT RAISE(FAIL, 'refused'); END`;
  change({ path }, refuse);
  {
    await using fsck = await openEmbeddedCheck(path);
    for (let time = 0; time < 2; time += 1)
      await expect(Promise.resolve(fsck.derived.rebuild())).rejects.toThrow('refused');
    expect(await Array.fromAsync(fsck.derived.check())).toMatchObject([{ id: 'verified_projects' }]);
  }
  change({ path }, 'DROP TRIGGER refuse');
  {
    await using fsck = await openEmbeddedCheck(path);
    await fsck.derived.rebuild();
  }
  expect(await problems(path)).toEqual([]);
});
