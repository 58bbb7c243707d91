import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdir, readdir, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, test } from 'vitest';
import { everythingVisible } from '../../../src/domain/access/visibility.ts';
import { openEmbedded, openEmbeddedCheck } from '../../../src/storage/open.ts';
import { row } from '../../builders/rows.ts';
import { usersOf } from '../../contract/nouns.ts';
import { newIdentity } from '../../contract/users.ts';
import { temporaryFolder } from '../temporary-folder.ts';
import { makeReadOnly, mayMount, mountedFolder } from './mounts.ts';

describe('opening the embedded store', () => {
  test('creates the folder for its owner only', async () => {
    const folder = join(await temporaryFolder(), 'new', 'data');
    await using _store = await openEmbedded(folder);
    expect((await stat(folder)).mode & 0o777).toBe(0o700);
  });

  test('is refused in the same process until the first store is closed', async () => {
    const folder = await temporaryFolder();
    const first = await openEmbedded(folder);
    for (let attempt = 0; attempt < 3; attempt += 1) await expectRefusal(folder, 'unavailable', /in use/);
    await first.ready();
    await first[Symbol.asyncDispose]();
    await using second = await openEmbedded(folder);
    await second.ready();
  });

  test('is refused while another process has it open; killing that process unlocks the folder and loses nothing acknowledged', async () => {
    const folder = await temporaryFolder();
    const child = spawn(process.execPath, [join(import.meta.dirname, 'killed-writer.ts'), folder]);
    let stored = -1;
    for await (const line of createInterface({ input: child.stdout })) {
      stored = Number(line);
      if (stored === 20) await expectRefusal(folder, 'unavailable', /in use/);
      if (stored === 40) child.kill('SIGKILL');
    }
    if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
    expect(stored).toBeGreaterThanOrEqual(40);
    await using store = await openEmbedded(folder);
    for (let index = 0; index <= stored; index += 1) {
      const found = await store.statements.byJcsCid(row(`row ${index}`).jcsCid, everythingVisible);
      expect(found?.graphIds).toEqual(['g']);
    }
    const contents = await Array.fromAsync(store.graphContents.statements(['g'], everythingVisible));
    const inGraph = contents.flat().length;
    expect(inGraph).toBeGreaterThan(stored);
    const things = [0, 1, 2].map((thing) => `urn:x:${thing}`);
    const referring = await store.rows.verified.referring(things, null, 1_000_000);
    expect(referring.flat()).toHaveLength(inGraph);
    expect(await readdir(join(folder, 'staging'))).toEqual([]);
  });

  test('is refused in a folder of something else, and changes nothing there', async () => {
    const folder = await temporaryFolder();
    await mkdir(join(folder, 'staging'));
    await writeFile(join(folder, 'staging', 'thesis.txt'), 'ten years of work');
    await expectRefusal(
      folder,
      'unavailable',
      /is not a store of Cairn: it contains "staging".*CAIRN_DATA_DIR/,
    );
    expect(await readdir(folder)).toEqual(['staging']);
    expect(await readdir(join(folder, 'staging'))).toEqual(['thesis.txt']);
  });

  test('works in a new file system, with the key of the service', async () => {
    const folder = await temporaryFolder();
    await mkdir(join(folder, 'lost+found'));
    await writeFile(join(folder, 'signing-key.json'), '{}');
    await using store = await openEmbedded(folder);
    await store.ready();
  });

  test('removes files that an earlier process left in staging', async () => {
    const folder = await temporaryFolder();
    await (await openEmbedded(folder))[Symbol.asyncDispose]();
    await writeFile(join(folder, 'staging', 'left'), 'half a blob');
    await using _store = await openEmbedded(folder);
    expect(await readdir(join(folder, 'staging'))).toEqual([]);
  });

  test('refuses data of another version without changing them', async () => {
    const folder = await temporaryFolder();
    await (await openEmbedded(folder))[Symbol.asyncDispose]();
    const version = versionOf(folder);
    setVersion(folder, 99);
    await expectRefusal(folder, 'unavailable', /newer Cairn \(schema 99/);
    setVersion(folder, 1);
    await expectRefusal(folder, 'unavailable', /older Cairn \(schema 1,/);
    setVersion(folder, version);
    await using store = await openEmbedded(folder);
    await store.ready();
  });

  test('creates missing tables and indexes of records, and keeps existing ones', async () => {
    const folder = await temporaryFolder();
    {
      await using store = await openEmbedded(folder);
      await store.graphs.add({ graphId: 'g', name: 'g', parentId: null, projectId: 'g' });
    }
    const database = new DatabaseSync(join(folder, 'cairn.db'));
    database.exec('DROP TABLE users; DROP TABLE audit_log; DROP INDEX jobs_byOwner');
    database.close();
    await expect(openEmbeddedCheck(folder)).rejects.toMatchObject({
      message: expect.stringContaining('older Cairn'),
    });
    await using store = await openEmbedded(folder);
    expect(await store.graphs.get('g')).toMatchObject({ name: 'g' });
    const user = await usersOf(store).logIn(newIdentity(), { newId: randomUUID(), now: 1 });
    expect(await usersOf(store).get(user.id)).toEqual(user);
  });

  test('is refused when the folder, or one above it, is a file', async () => {
    const file = join(await temporaryFolder(), 'file');
    await writeFile(file, '');
    await expectRefusal(file, 'unavailable', /is a file/);
    await expectRefusal(join(file, 'below'), 'unavailable', /is a file/);
  });

  test('is refused when the database is something else', async () => {
    const folder = await temporaryFolder();
    await writeFile(
      join(folder, 'cairn.db'),
      'no database at all, but long enough to be read as one'.repeat(100),
    );
    await expectRefusal(folder, 'unavailable', /damaged, or is not a database/);
  });

  test.runIf(mayMount)(
    'is refused on a read-only file system, new or with data (mounting needs root)',
    async () => {
      const folder = mountedFolder('6m');
      const data = join(folder, 'data');
      await (await openEmbedded(data))[Symbol.asyncDispose]();
      makeReadOnly(folder);
      await expectRefusal(data, 'unavailable', /read-only/);
      await expectRefusal(join(folder, 'other'), 'unavailable', /read-only/);
    },
  );
});

async function expectRefusal(folder: string, code: string, message: RegExp): Promise<void> {
  const refused = expect(openEmbedded(folder)).rejects;
  await refused.toMatchObject({ code, message: expect.stringMatching(message) });
  await expect(openEmbedded(folder)).rejects.toThrow(folder);
}

function versionOf(folder: string): number {
  using database = new DatabaseSync(join(folder, 'cairn.db'));
  return Number(database.prepare('PRAGMA user_version').get()?.user_version);
}

function setVersion(folder: string, version: number): void {
  const database = new DatabaseSync(join(folder, 'cairn.db'));
  database.exec(`PRAGMA user_version = ${version}`);
  database.close();
}
