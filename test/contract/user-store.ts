import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { RecordStore } from '../../src/domain/collections/collection.ts';
import type { User, UserFilter } from '../../src/domain/control-plane/users.ts';
import { usersOf } from './nouns.ts';
import { newIdentity, newUser } from './users.ts';

const everybody: UserFilter = { email: null, role: null, disabled: null };

/** What the domain does with users, in every store. */
export function userStoreContract(open: () => Promise<RecordStore & AsyncDisposable>): void {
  describe('users', () => {
    let stores: RecordStore & AsyncDisposable;
    let users: ReturnType<typeof usersOf>;

    beforeAll(async () => {
      stores = await open();
      users = usersOf(stores);
    });
    afterAll(async () => {
      await stores[Symbol.asyncDispose]();
    });

    const first = (now = 10) => users.logIn(newIdentity(), { newId: randomUUID(), now });

    async function listed(filter: Partial<UserFilter>, limit = 100): Promise<User[]> {
      const found: User[] = [];
      for (let after: string | null | undefined = null; after !== undefined; ) {
        const page = await users.list({ ...everybody, ...filter }, { after, limit });
        found.push(...page.records);
        after = page.next;
      }
      return found;
    }

    test('creates an enabled member at the first login, and updates it at later ones', async () => {
      const identity = newIdentity();
      const newId = randomUUID();
      const user = await users.logIn(identity, { newId, now: 10 });
      expect(user).toEqual({
        ...identity,
        id: newId,
        nameOverride: null,
        role: 'member',
        roleSource: 'default',
        isAdminByClaim: false,
        bootstrapEmail: null,
        disabled: false,
        foldedEmail: `${identity.subject}@example.com`,
        roleVersion: 0,
        createdAt: 10,
        updatedAt: 10,
        lastLoginAt: 10,
      });
      const later = { ...identity, email: null, emailVerified: false, name: null };
      const again = await users.logIn(later, { newId: randomUUID(), now: 20 });
      expect(again).toEqual({ ...user, ...later, foldedEmail: null, lastLoginAt: 20 });
      expect(await users.get(newId)).toEqual(again);
      expect(await users.bySubject(identity.issuer, identity.subject)).toEqual(again);
    });

    test('distinguishes equal subjects of two issuers, and equal e-mails of two subjects', async () => {
      const one = newIdentity();
      const same = await Promise.all([
        users.logIn(one, { newId: randomUUID(), now: 1 }),
        users.logIn({ ...one, issuer: 'https://other.example' }, { newId: randomUUID(), now: 1 }),
        users.logIn(newIdentity({ email: one.email }), { newId: randomUUID(), now: 1 }),
      ]);
      expect(new Set(same.map(({ id }) => id)).size).toBe(3);
      expect(await users.bySubject('https://nobody.example', one.subject)).toBeUndefined();
      expect(await users.get(randomUUID())).toBeUndefined();
    });

    test('makes one user for twenty concurrent first logins', async () => {
      const identity = newIdentity();
      const logins = Array.from({ length: 20 }, () => users.logIn(identity, { newId: randomUUID(), now: 3 }));
      const made = await Promise.all(logins);
      expect(new Set(made.map(({ id }) => id)).size).toBe(1);
      expect(await listed({ email: identity.email })).toHaveLength(1);
    });

    test('changes the given members, records the source of the role, and keeps it at the next login', async () => {
      await administrator();
      const user = await first();
      const promoted = await users.change(user.id, { role: 'admin', nameOverride: 'Boss' }, 30);
      expect(promoted).toEqual({
        ...user,
        role: 'admin',
        roleSource: 'override',
        nameOverride: 'Boss',
        updatedAt: 30,
      });
      const { issuer, subject } = user;
      const identity = newIdentity({ issuer, subject, name: 'Countess' });
      const again = await users.logIn(identity, { newId: randomUUID(), now: 40 });
      expect(again).toMatchObject({ role: 'admin', nameOverride: 'Boss', name: 'Countess', updatedAt: 30 });
      expect(await users.change(user.id, { disabled: true, nameOverride: null }, 50)).toMatchObject({
        role: 'admin',
        disabled: true,
        nameOverride: null,
        name: 'Countess',
      });
      expect(await users.change(randomUUID(), { role: 'admin' }, 60)).toBe('unknown');
    });

    const administrator = async () => {
      const { id } = await first();
      await users.change(id, { role: 'admin' }, 11);
      return id;
    };

    describe('of administrators', () => {
      async function onlyTheseAdmins(count: number): Promise<string[]> {
        const ids = await Promise.all(Array.from({ length: count }, administrator));
        for (const { id } of await listed({ role: 'admin', disabled: false }))
          if (!ids.includes(id)) await users.change(id, { role: 'member' }, 12);
        return ids;
      }
      const enabledAdmins = () => listed({ role: 'admin', disabled: false });

      test('keeps the last enabled one despite disabled ones', async () => {
        const [id = ''] = await onlyTheseAdmins(1);
        await users.change(await administrator(), { disabled: true }, 12);
        expect(await users.change(id, { role: 'member' }, 13)).toBe('last_admin');
        expect(await users.change(id, { disabled: true }, 13)).toBe('last_admin');
        expect(await users.change(id, { role: 'admin', disabled: true }, 13)).toBe('last_admin');
        expect(await users.get(id)).toMatchObject({ role: 'admin', disabled: false, updatedAt: 11 });
        expect(await users.change(id, { nameOverride: 'Last' }, 14)).toMatchObject({ nameOverride: 'Last' });
        await administrator();
        expect(await users.change(id, { role: 'member' }, 15)).toMatchObject({ role: 'member' });
      });

      test.each([2, 5])('leaves one of %i that are all demoted or disabled at once', async (count) => {
        for (let round = 0; round < 5; round += 1) {
          const ids = await onlyTheseAdmins(count);
          const outcomes = await Promise.all(
            ids.map((id, at) => users.change(id, at % 2 ? { disabled: true } : { role: 'member' }, 20)),
          );
          const left = await enabledAdmins();
          expect(outcomes.filter((outcome) => outcome === 'last_admin')).toHaveLength(1);
          expect(left).toHaveLength(1);
        }
      });

      test('makes one of twenty concurrent users the bootstrap administrator', async () => {
        const email = `${randomUUID()}@example.com`;
        const candidates = await Promise.all(Array.from({ length: 20 }, () => first()));
        const asked = await Promise.all(candidates.map(({ id }) => users.bootstrap(id, email, 30)));
        const [chosen, ...others] = asked.filter((user) => user?.role === 'admin');
        expect(others).toEqual([]);
        expect(chosen).toMatchObject({ roleSource: 'bootstrap', bootstrapEmail: email, updatedAt: 30 });
        expect(await users.bootstrap(chosen?.id ?? '', email, 40)).toEqual(chosen);
      });

      test('makes nobody a bootstrap administrator whose role was chosen', async () => {
        await administrator();
        const { id } = await first();
        await users.change(id, { role: 'member' }, 20);
        const asked = await users.bootstrap(id, `${id}@example.com`, 30);
        expect(asked).toMatchObject({ role: 'member', roleSource: 'override', bootstrapEmail: null });
        expect(await users.bootstrap(randomUUID(), 'a@example.com', 30)).toBeUndefined();
      });
    });

    test('lists users in pages by first login, and by e-mail in any case, role and status', async () => {
      const email = `${randomUUID()}@example.com`;
      await administrator();
      const made: User[] = [];
      for (let at = 0; at < 7; at += 1) {
        const identity = newIdentity({ email: at % 2 ? email : email.toUpperCase() });
        made.push(await users.logIn(identity, { newId: randomUUID(), now: 100 + Math.floor(at / 2) }));
      }
      const [one, , three] = made;
      await users.change(one?.id ?? '', { disabled: true }, 200);
      await users.change(three?.id ?? '', { role: 'admin' }, 200);
      const inOrder = made
        .toSorted((a, b) => a.createdAt - b.createdAt || (a.id < b.id ? -1 : 1))
        .map(({ id }) => id);
      for (const limit of [1, 3, 7, 100])
        expect((await listed({ email }, limit)).map(({ id }) => id)).toEqual(inOrder);
      const ids = async (filter: Partial<UserFilter>) =>
        (await listed({ email, ...filter }, 2)).map(({ id }) => id);
      expect(await ids({ disabled: true })).toEqual([one?.id]);
      expect(await ids({ role: 'admin' })).toEqual([three?.id]);
      expect(await ids({ role: 'admin', disabled: true })).toEqual([]);
      expect(await ids({ role: 'member', disabled: false })).toHaveLength(5);
    });

    test('refuses forged cursors and cursors of other queries', async () => {
      await Promise.all([first(), first()]);
      const { next = '' } = await users.list(everybody, { after: null, limit: 1 });
      expect(next).not.toBe('');
      for (const [filter, after] of [
        [everybody, 'x'],
        [everybody, `a${next}`],
        [{ ...everybody, disabled: false }, next],
      ] as const)
        await expect(users.list(filter, { after, limit: 1 })).rejects.toMatchObject({
          code: 'invalid_request',
        });
    });

    test('copies a user of another store once, unchanged', async () => {
      const user = newUser({
        role: 'admin',
        roleSource: 'bootstrap',
        bootstrapEmail: `${randomUUID()}@x.org`,
      });
      expect(await users.keep(user)).toBe(true);
      expect(await users.keep({ ...user, role: 'member' })).toBe(false);
      expect(await users.keep({ ...user, id: randomUUID() })).toBe(false);
      expect(await users.get(user.id)).toEqual(user);
    });
  });
}
