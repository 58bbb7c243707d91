import { expect, test } from 'vitest';
import { TcpProxy } from '../../../bench/tcp-proxy.ts';
import { Database, type DatabaseAddress, databaseClient } from '../../../src/storage/mongo/database.ts';
import { graphIndexes } from '../../../src/storage/mongo/graphs/graph-documents.ts';
import { openDatabase } from '../../../src/storage/mongo/open-database.ts';
import { databaseVersion, describeMongo, dropDatabase, newDatabase } from './database.ts';

const indexes = [graphIndexes];
const quick = '?serverSelectionTimeoutMS=200&connectTimeoutMS=200';

describeMongo('opening a database of MongoDB', () => {
  async function open(address: DatabaseAddress, waitMs = 0) {
    const told: string[] = [];
    const patience = { waitMs, waiting: (sentence: string) => told.push(sentence) };
    return { told, database: openDatabase(address, indexes, patience) };
  }

  async function refusal(address: DatabaseAddress): Promise<{ message: string; retryAfter?: number }> {
    return await (await open(address)).database.then(
      async (database) => {
        await database[Symbol.asyncDispose]();
        throw new Error('It was opened.');
      },
      (error) => error,
    );
  }

  test('creates missing indexes, in several processes at once', async () => {
    const address = newDatabase();
    const all = await Promise.all(Array.from({ length: 5 }, async () => (await open(address)).database));
    const names = (await all[0]?.db.collection('graphs').indexes())?.map(({ name }) => name);
    expect(names).toEqual(expect.arrayContaining(graphIndexes.indexes.map(({ name }) => name)));
    for (const database of all) await database[Symbol.asyncDispose]();
    await dropDatabase(address);
  });

  test('counts the connections of its pool', async () => {
    const { url, name } = newDatabase();
    const one = new URL(url);
    one.searchParams.set('maxPoolSize', '1');
    await using database = await (await open({ url: one.href, name })).database;
    const pings = Array.from({ length: 50 }, () => database.ping());
    await expect.poll(() => database.connections().waiting, { interval: 0 }).toBeGreaterThan(0);
    await Promise.all(pings);
    expect(database.connections()).toEqual({ limit: 1, open: 1, used: 0, waiting: 0, failures: 0 });
    await dropDatabase({ url, name });
  });

  test('uses the clock of the server', async () => {
    await using database = await (await open(newDatabase())).database;
    const { localTime } = await database.db.admin().command({ hello: 1 });
    expect(Math.abs(localTime - database.now().getTime())).toBeLessThan(5_000);
  });

  test('waits for its server and reports it', async () => {
    const { url } = newDatabase();
    await using proxy = await TcpProxy.before(url);
    await proxy.cut();
    const address = { ...newDatabase(), url: `${proxy.url(url)}${quick}` };
    const { told, database } = await open(address, 60_000);
    await expect.poll(() => told.length).toBeGreaterThan(1);
    await proxy.restore();
    await using opened = await database;
    await opened.ping();
    expect(told[0]).toMatch(
      new RegExp(
        `^Waiting for MongoDB at 127.0.0.1:${proxy.port} \\(database "${address.name}"\\): .*ECONNREFUSED`,
      ),
    );
    await opened.db.dropDatabase();
  });

  test('gives up when no server answers, names the time it waited, and can be retried', async () => {
    const refused = await refusal({ url: `mongodb://user:secret@127.0.0.1:1/${quick}`, name: 'x' });
    expect(refused).toMatchObject({ code: 'unavailable', retryAfter: 1 });
    expect(refused.message).toMatch(
      /^MongoDB at 127\.0\.0\.1:1 .* 0 s \(CAIRN_START_WAIT\).*CAIRN_MONGODB_URL\.$/,
    );
    const unknown = await refusal({ url: `mongodb://nowhere.invalid/${quick}`, name: 'x' });
    expect(unknown.message).toMatch(/nowhere\.invalid.*was not reached/);
    const srv = await refusal({ url: 'mongodb+srv://cluster.nowhere.invalid/', name: 'x' });
    expect(srv.message).toMatch(/cluster\.nowhere\.invalid.*was not reached/);
  });

  test('is refused at once for a wrong password, without showing it', async () => {
    const { url, name } = newDatabase();
    const wrong = new URL(url);
    wrong.username = 'nobody';
    wrong.password = 'very-secret';
    const refused = await refusal({ url: wrong.href, name });
    expect(refused).toMatchObject({ code: 'unavailable', retryAfter: undefined });
    expect(refused.message).toMatch(/the user or the password is wrong\. Correct CAIRN_MONGODB_URL\.$/);
    expect(JSON.stringify(refused) + refused.message).not.toContain('very-secret');
  });

  test.each([
    'mongodb://user:very@secret@host/',
    'mongodb://user:very%secret@host/',
    'mongodb://user:secret?very=secret@host/',
    'mongodb://user:very-secret@host/?nonsense=1',
  ])('is refused with a URL that is none, and does not repeat it: %s', async (url) => {
    const refused = await refusal({ url, name: 'x' });
    expect(refused).toMatchObject({ code: 'unavailable', retryAfter: undefined });
    expect(refused.message).toMatch(/^CAIRN_MONGODB_URL is not a valid connection string/);
    expect(`${refused.message}${(refused as Error).cause}`).not.toMatch(/very|secret/);
  });

  test('names an unknown option', async () => {
    const refused = await refusal({ url: 'mongodb://host/?nonsense=1', name: 'x' });
    expect(refused.message).toContain('option nonsense is not supported');
  });

  test('refuses documents of another version without changing them', async () => {
    const address = newDatabase();
    await (await (await open(address)).database)[Symbol.asyncDispose]();
    for (const version of [1, 2, 99]) {
      await databaseVersion(address, version);
      const refused = await refusal(address);
      expect(refused).toMatchObject({ code: 'unavailable', retryAfter: undefined });
      expect(refused.message).toMatch(`another version of Cairn (schema ${version}, this one uses 3)`);
    }
    await databaseVersion(address, 3);
    await (await (await open(address)).database)[Symbol.asyncDispose]();
    await dropDatabase(address);
  });

  test('is refused when an index cannot be created', async () => {
    const address = newDatabase();
    {
      await using database = await Database.connect(databaseClient(address.url), address);
      await database.db.collection('graphs').insertMany([{ graphId: 'same' }, { graphId: 'same' }]);
    }
    const refused = await refusal(address);
    expect(refused).toMatchObject({ code: 'unavailable', retryAfter: undefined });
    expect(refused.message).toMatch(
      /create an index of the collection "graphs" of MongoDB at .*: .*CAIRN_MONGODB_DATABASE\.$/,
    );
    await dropDatabase(address);
  });

  test('is refused when an index of the same name is defined differently', async () => {
    const address = newDatabase();
    {
      await using database = await Database.connect(databaseClient(address.url), address);
      await database.db.collection('graphs').createIndex({ other: 1 }, { name: 'graph_id' });
    }
    expect((await refusal(address)).message).toMatch(
      /create an index of the collection "graphs" of MongoDB at .*: .*graph_id/,
    );
    await dropDatabase(address);
  });
});
