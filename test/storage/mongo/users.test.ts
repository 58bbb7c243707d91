import { randomUUID } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { Database, databaseClient } from '../../../src/storage/mongo/database.ts';
import { type MongoStore, openMongo } from '../../../src/storage/mongo/open-mongo.ts';
import { type UserDocument, userCollection } from '../../../src/storage/mongo/users/user-documents.ts';
import { newIdentity } from '../../contract/users.ts';
import { newFolder } from '../temporary-folder.ts';
import { describeMongo, dropDatabase, newDatabase } from './database.ts';

describeMongo('administrators on MongoDB', () => {
  const address = newDatabase();
  const opened = new AsyncDisposableStack();
  let store: MongoStore;
  let database: Database;

  beforeAll(async () => {
    const folder = await newFolder();
    opened.defer(() => rm(folder, { recursive: true }));
    opened.defer(() => dropDatabase(address));
    store = opened.use(await openMongo(address, folder, { waitMs: 0, waiting: () => {} }));
    database = opened.use(await Database.connect(databaseClient(address.url), address.name));
  });
  afterAll(() => opened.disposeAsync());

  async function twoAdmins(): Promise<[string, string]> {
    await userCollection(database).deleteMany({});
    const made = [1, 2].map(async () => {
      const { id } = await store.users.logIn(newIdentity(), { newId: randomUUID(), now: 1 });
      await store.users.change(id, { role: 'admin' }, 2);
      return id;
    });
    return (await Promise.all(made)) as [string, string];
  }

  /** Marks an administrator as one who is about to be none, as a process that ended in the middle has. */
  async function mark(id: string, ago: number): Promise<void> {
    const since = new Date(database.now().getTime() - ago);
    await userCollection(database).updateOne({ _id: id }, { $set: { leaving: { token: 'lost', since } } });
  }
  const documentOf = (id: string) => userCollection(database).findOne({ _id: id });

  test('one whom a process has left marked counts again after a minute', async () => {
    const [one, other] = await twoAdmins();
    await mark(other, 61_000);
    expect(await store.users.change(one, { role: 'member' }, 3)).toMatchObject({ role: 'member' });
    expect(await store.users.change(other, { role: 'member' }, 4)).toBe('last_admin');
    expect((await documentOf(other)) as UserDocument).not.toHaveProperty('leaving');
  });

  test('one who may be about to go is not relied upon', async () => {
    const [one, other] = await twoAdmins();
    await mark(other, 1_000);
    await expect(store.users.change(one, { disabled: true }, 3)).rejects.toMatchObject({
      code: 'unavailable',
      retryAfter: 1,
    });
    expect(await store.users.get(one)).toMatchObject({ role: 'admin', disabled: false, updatedAt: 2 });
    expect((await documentOf(one)) as UserDocument).not.toHaveProperty('leaving');
  });

  test('one who was marked by a process that is gone can still be demoted', async () => {
    const [one, other] = await twoAdmins();
    await mark(one, 1_000);
    expect(await store.users.change(one, { role: 'member' }, 3)).toMatchObject({ role: 'member' });
    expect((await documentOf(one)) as UserDocument).not.toHaveProperty('leaving');
    expect(await store.users.change(other, { role: 'member' }, 4)).toBe('last_admin');
  });
});
