import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { RecordStore } from '../../src/domain/collections/collection.ts';
import { eachRecord } from '../../src/domain/collections/records.ts';
import { administrators, changeUser } from '../../src/domain/control-plane/administrators.ts';
import { administrationOf, usersOf } from './nouns.ts';
import { newUser } from './users.ts';

/** The rule of the last administrator, when processes stop in the middle of a change, in every store. */
export function administratorsContract(open: () => Promise<RecordStore & AsyncDisposable>): void {
  describe('administrators', () => {
    let store: RecordStore & AsyncDisposable;
    beforeAll(async () => {
      store = await open();
    });
    afterAll(() => store[Symbol.asyncDispose]());

    const now = () => new Date(3);
    const member = { role: 'member' } as const;

    /** A process that ends at a certain write: that one and all later ones fail. */
    function process(writes: number) {
      let left = writes;
      const ports = administrationOf(store, now);
      const write = async <Result>(work: () => Promise<Result>): Promise<Result> => {
        left -= 1;
        if (left < 0) throw new Error('The process has ended.');
        return await work();
      };
      const users: typeof ports.users = {
        get: (id) => ports.users.get(id),
        page: (...question) => ports.users.page(...question),
        among: (...question) => ports.users.among(...question),
        totals: (...question) => ports.users.totals(...question),
        insert: (records) => write(() => ports.users.insert(records)),
        update: (...change) => write(() => ports.users.update(...change)),
        updateAll: (...change) => write(() => ports.users.updateAll(...change)),
        remove: (...one) => write(() => ports.users.remove(...one)),
      };
      const administrators: typeof ports.administrators = {
        get: (id) => ports.administrators.get(id),
        page: (...question) => ports.administrators.page(...question),
        among: (...question) => ports.administrators.among(...question),
        totals: (...question) => ports.administrators.totals(...question),
        insert: (records) => write(() => ports.administrators.insert(records)),
        update: (...change) => write(() => ports.administrators.update(...change)),
        updateAll: (...change) => write(() => ports.administrators.updateAll(...change)),
        remove: (...one) => write(() => ports.administrators.remove(...one)),
      };
      return { ...ports, users, administrators };
    }

    async function enabled(): Promise<string[]> {
      const found = eachRecord(usersOf(store).records, 'byRole', ['admin'], { where: { disabled: false } });
      return (await Array.fromAsync(found)).map(({ id }) => id);
    }

    /** The only enabled administrators, and no keeper yet. */
    async function only(count: number): Promise<string[]> {
      const { users, administrators } = administrationOf(store, now);
      for (const id of await enabled()) await users.update(id, {}, member);
      await administrators.remove('keeper');
      const made = Array.from({ length: count }, () => newUser({ role: 'admin' }));
      await users.insert(made);
      return made.map(({ id }) => id);
    }

    test.each([0, 1, 2, 3, 4])(
      'a process that ends after %i writes leaves one, and others go on',
      async (writes) => {
        for (const first of [0, 1]) {
          const ids = await only(2);
          const [one = '', other = ''] = first === 0 ? ids : ids.toReversed();
          await changeUser(process(writes), one, member).catch(() => undefined);
          expect((await enabled()).length).toBeGreaterThan(0);
          await usersOf(store).change(one, member, 4);
          expect(await enabled()).toEqual([other]);
          expect(await usersOf(store).change(other, member, 5)).toBe('last_admin');
        }
      },
    );

    test('a demotion that another process overtakes happens only if an administrator is left', async () => {
      const [one = '', other = ''] = await only(2);
      const paused = Promise.withResolvers<void>();
      const slow = administrationOf(store, now);
      const waiting: typeof slow.users = {
        ...slow.users,
        get: (id) => slow.users.get(id),
        page: (...question) => slow.users.page(...question),
        among: (...question) => slow.users.among(...question),
        update: async (id, expected, change) => {
          if (change.role === 'member') await paused.promise;
          return await slow.users.update(id, expected, change);
        },
      };
      const begun = changeUser({ ...slow, users: waiting }, one, member);
      await expect.poll(() => slow.administrators.get('keeper')).toMatchObject({ userId: other, version: 2 });
      expect(await usersOf(store).change(other, member, 4)).toMatchObject(member);
      paused.resolve();
      await expect(begun).rejects.toMatchObject({ code: 'conflict' });
      expect(await enabled()).toEqual([one]);
    });

    test('a keeper who is not an administrator, or missing, is chosen again', async () => {
      for (const keeper of [randomUUID(), (await only(1))[0] ?? '']) {
        const [one = '', other = ''] = await only(2);
        await store.of(administrators).insert([{ name: 'keeper', userId: keeper, version: 7 }]);
        expect(await usersOf(store).change(one, { disabled: true }, 4)).toMatchObject({ disabled: true });
        expect(await store.of(administrators).get('keeper')).toMatchObject({ userId: other });
      }
    });

    test('many concurrent changes by many processes leave one', async () => {
      const ids = await only(12);
      const changes = ids.map((id, at) =>
        usersOf(store)
          .change(id, at % 2 ? member : { disabled: true }, 4)
          .catch(() => 'busy'),
      );
      await Promise.all(changes);
      expect((await enabled()).length).toBeGreaterThan(0);
      for (const id of await enabled()) await usersOf(store).change(id, member, 5);
      expect(await enabled()).toHaveLength(1);
    });
  });
}
