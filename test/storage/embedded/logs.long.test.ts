import { randomUUID } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { openMigration } from '../../../src/composition/maintenance.ts';
import { eachRecord } from '../../../src/domain/collections/records.ts';
import { appendNew } from '../../../src/domain/log/appending/appender.ts';
import { unloggedStatements } from '../../../src/domain/log/appending/unlogged.ts';
import { rootAt } from '../../../src/domain/log/merkle/proofs.ts';
import { logNames } from '../../../src/domain/log/names.ts';
import { logReading, storedTiles } from '../../../src/domain/log/reading.ts';
import { logRecords } from '../../../src/domain/log/records.ts';
import { openEmbedded, openEmbeddedCheck } from '../../../src/storage/open.ts';
import { newGraph } from '../../builders/graphs.ts';
import { row } from '../../builders/rows.ts';
import { fill } from '../../contract/filled-store.ts';
import { runFsck } from '../../contract/store-fsck.ts';
import { temporaryFolder } from '../temporary-folder.ts';
import { change as changeDatabase } from './damages.ts';

const graphId = randomUUID();
const log = logNames.graph(graphId);

type Opened = Awaited<ReturnType<typeof openEmbedded>>;

const append = (store: Opened) =>
  appendNew({
    records: logRecords(store),
    unlogged: [unloggedStatements(store.unlogged, store.now)],
    now: store.now,
  });
const rows = (from: number, to: number) =>
  Array.from({ length: to - from }, (_, at) => row(`row ${from + at}`));

/** A store whose log of a graph has a full and a partial tile, with entries that came late. */
async function filled(): Promise<string> {
  const path = await temporaryFolder();
  await using store = await openEmbedded(path);
  await store.graphs.add(newGraph({ graphId }));
  await store.statements.putMany(rows(0, 100), null);
  await store.statements.putMany(rows(90, 400), graphId);
  await append(store);
  await store.statements.putMany(rows(0, 100), graphId);
  await store.statements.putMany([row('unverified', { isTrusted: false })], graphId);
  await append(store);
  return path;
}

async function problemsOf(path: string) {
  await using fsck = await openEmbeddedCheck(path);
  const { problems } = await runFsck(fsck, { repair: true });
  return problems.filter(({ kind }) => kind === 'log');
}

/** The root of a log, and all of its entries. */
async function contentsOf(store: Opened, name: string) {
  const records = logRecords(store);
  const size = (await records.logs.get(name))?.size ?? 0;
  const entries: Uint8Array[] = [];
  for (let index = 0; index * 256 < size; index += 1)
    entries.push(
      ...(await logReading(records, store.loggedRows).entries(name, {
        index,
        width: Math.min(256, size - index * 256),
      })),
    );
  return { size, root: await rootAt(storedTiles(records, name), size), entries };
}

describe('fsck', () => {
  test('finds nothing wrong with logs', async () => {
    expect(await problemsOf(await filled())).toEqual([]);
  });

  test.each([
    ['a row was changed', 'UPDATE verified_rows SET rdfc_digest = zeroblob(32) WHERE seq = 150'],
    ['a row was removed', 'DELETE FROM verified_rows WHERE seq = 150'],
    ['a late entry was removed', `DELETE FROM log_entries WHERE record ->> '$.index' = 380`],
    [
      'a tile was cut',
      `UPDATE log_tiles SET record = json_set(record, '$.width', 3) WHERE record ->> '$.level' = 0 AND record ->> '$.log' = '${log}' AND record ->> '$.index' = 1`,
    ],
    [
      'a head is another one',
      `UPDATE log_heads SET record = json_set(record, '$.root', '${Buffer.alloc(32).toString('base64')}') WHERE record ->> '$.log' = '${log}'`,
    ],
    [
      'the log is shorter than its head',
      `UPDATE logs SET record = json_set(record, '$.size', 300) WHERE record ->> '$.name' = '${log}'`,
    ],
    [
      'the upper tiles are others',
      `UPDATE log_tiles SET record = json_set(record, '$.hashes', '${Buffer.alloc(32).toString('base64')}') WHERE record ->> '$.level' = 1`,
    ],
  ])('finds that %s, and repairs nothing', async (_what, sql) => {
    const path = await filled();
    changeDatabase({ path }, sql);
    const problems = await problemsOf(path);
    expect(problems).toContainEqual(expect.objectContaining({ severity: 'damage', repair: 'none' }));
    expect(await problemsOf(path)).toEqual(problems);
  });
});

describe('a migration', () => {
  const settings = (dataDir: string) => ({ dataDir, mongodbUrl: null, mongodbDatabase: '', startWait: 0 });

  async function migrateAll(from: string, to: string) {
    await using migration = await openMigration(
      { from: settings(from), to: settings(to), workers: 1 },
      () => {},
    );
    return await Array.fromAsync(migration.run(() => {}));
  }

  async function change(path: string, work: (store: Opened) => Promise<unknown>) {
    await using store = await openEmbedded(path);
    await work(store);
    await append(store);
    const names = await Array.fromAsync(eachRecord(logRecords(store).logs, 'key', []), ({ name }) => name);
    return await Promise.all(names.map(async (name) => ({ name, ...(await contentsOf(store, name)) })));
  }

  test('carries the logs, so that the target goes on with them', async () => {
    const [from, to] = [await temporaryFolder(), await temporaryFolder()];
    await change(from, fill);
    const before = await change(from, async (store) => store.statements.putMany([row('later')], null));
    expect(before.length).toBeGreaterThan(3);
    // It is no statement, so it is left out, and its entry stays.
    expect((await migrateAll(from, to)).map(({ kind }) => kind)).toEqual(['statement']);
    expect(await change(to, async () => undefined)).toEqual(before);
    expect(await problemsOf(to)).toEqual([]);
    const grown = await change(from, (store) => store.statements.putMany([row('even later')], null));
    expect(grown).not.toEqual(before);
  });

  test('refuses a target whose log has gone another way', async () => {
    const [from, to] = [await temporaryFolder(), await temporaryFolder()];
    await change(from, fill);
    await migrateAll(from, to);
    await change(to, (store) => store.statements.putMany([row('only in the target')], null));
    await change(from, (store) => store.statements.putMany([row('only in the source')], null));
    await expect(migrateAll(from, to)).rejects.toMatchObject({ code: 'conflict' });
  });
});
