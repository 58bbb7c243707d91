import { randomUUID } from 'node:crypto';
import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { User } from '../../../src/domain/control-plane/users.ts';
import { sessionsOf, usersOf } from '../../contract/nouns.ts';
import { newIdentity } from '../../contract/users.ts';
import { send } from '../service.ts';
import { callerFor, useRecords } from './service.ts';

const service = useRecords();
let admin: User;
beforeAll(async () => {
  admin = await service.user('admin');
});
beforeEach(() => {
  service.caller = callerFor(admin);
});

const patch = (id: string, body: unknown) => send(service, 'PATCH', `/v1/users/${id}`, body);
const list = (query = '') => send(service, 'GET', `/v1/users${query}`);

describe('PATCH /v1/users/{id}', () => {
  test('changes role, status and name separately, and answers the changed user', async () => {
    const user = await service.user();
    const promoted = await patch(user.id, { role: 'admin' });
    expect(promoted).toMatchObject({ status: 200, json: { role: 'admin', role_source: 'override' } });
    expect(promoted.json).toMatchObject({ id: user.id, email: user.email, name: 'Ada', disabled: false });
    expect((await patch(user.id, { disabled: true })).json).toMatchObject({ role: 'admin', disabled: true });
    expect((await patch(user.id, { name: ' Countess ' })).json).toMatchObject({ name: 'Countess' });
    expect((await patch(user.id.toUpperCase(), { name: null })).json).toMatchObject({ name: 'Ada' });
    const stored = await usersOf(service.store).get(user.id);
    expect(stored).toMatchObject({ role: 'admin', disabled: true, nameOverride: null });
  });

  test('ends all sessions of a disabled user', async () => {
    const { id: userId, issuer, subject } = await service.user();
    const times = { createdAt: 1, lastSeenAt: 1, expiresAt: Date.now() + 3_600_000 };
    const keys = [randomUUID(), randomUUID()];
    for (const key of keys)
      await sessionsOf(service.store).add({
        key,
        userId,
        issuer,
        subject,
        secretId: null,
        sealedTokens: null,
        refreshingUntil: null,
        ...times,
      });
    expect((await patch(userId, { disabled: true })).status).toBe(200);
    for (const key of keys) expect(await sessionsOf(service.store).get(key)).toBeUndefined();
  });

  test.each([
    ['no change', {}],
    ['an unknown role', { role: 'owner' }],
    ['a status that is no boolean', { disabled: 'true' }],
    ['an unknown field', { role: 'member', email: 'ada@example.com' }],
    ['an empty name', { name: '  ' }],
    ['a name with control characters', { name: 'a\u0000b' }],
    ['a name that is too long', { name: 'a'.repeat(201) }],
    ['an array', []],
    ['no JSON', '{'],
    ['a key that stands twice', '{"role":"member","role":"admin"}'],
  ])('refuses %s and changes nothing', async (_, body) => {
    const user = await service.user();
    expect((await patch(user.id, body)).status).toBe(400);
    expect(await usersOf(service.store).get(user.id)).toEqual(user);
  });

  test('refuses unknown users and invalid ids', async () => {
    const unknown = await patch(randomUUID(), { role: 'admin' });
    expect(unknown).toMatchObject({ status: 404, json: { code: 'not_found' } });
    expect((await patch('ada@example.com', { role: 'admin' })).status).toBe(400);
    expect((await patch('%00', { role: 'admin' })).status).toBe(400);
  });

  test('is only for administrators, even for changes of oneself', async () => {
    const member = await service.user();
    service.caller = callerFor(member);
    for (const id of [member.id, admin.id])
      expect(await patch(id, { role: 'admin' })).toMatchObject({ status: 403, json: { code: 'forbidden' } });
    service.caller = null;
    const answer = await patch(member.id, { role: 'admin' });
    expect(answer.status).toBe(401);
    expect(answer.headers.get('www-authenticate')).toBe('Bearer');
    expect(await usersOf(service.store).get(member.id)).toEqual(member);
  });

  test('demotes an administrator, unless it is the last one', async () => {
    const others = await usersOf(service.store).list(
      { email: null, role: 'admin', disabled: false },
      { after: null, limit: 1_000 },
    );
    for (const { id } of others.records) if (id !== admin.id) await patch(id, { disabled: true });
    for (const change of [{ role: 'member' }, { disabled: true }, { role: 'admin', disabled: true }]) {
      const refused = await patch(admin.id, change);
      expect(refused).toMatchObject({ status: 409, json: { code: 'conflict' } });
      expect(refused.json.error).toContain('last enabled administrator');
    }
    const second = await service.user('admin');
    const answers = await Promise.all([
      patch(admin.id, { role: 'member' }),
      patch(second.id, { role: 'member' }),
    ]);
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 409]);
    const [left, ...more] = (await list('?role=admin&disabled=false')).json.users;
    expect(more).toEqual([]);
    if (left.id !== admin.id) {
      await patch(admin.id, { role: 'admin' });
      await patch(second.id, { role: 'member' });
    }
  });
});

describe('GET /v1/users', () => {
  test('lists page by page, and filters by e-mail, role and status', async () => {
    const email = `${randomUUID()}@example.com`;
    const made: string[] = [];
    for (let at = 0; at < 5; at += 1) {
      const identity = newIdentity({ email });
      made.push((await usersOf(service.store).logIn(identity, { newId: randomUUID(), now: 1_000 + at })).id);
    }
    await patch(made[0] ?? '', { disabled: true });
    const ids: string[] = [];
    let query = `?limit=2&email=${email.toUpperCase()}`;
    for (let cursor: string | undefined = ''; cursor !== undefined; ) {
      const { json } = await list(`${query}${cursor && `&cursor=${cursor}`}`);
      ids.push(...json.users.map(({ id }: User) => id));
      cursor = json.next_cursor;
    }
    expect(ids).toEqual(made);
    query = `?email=${email}`;
    const found = async (more: string) => (await list(query + more)).json.users.map(({ id }: User) => id);
    expect(await found('&disabled=true')).toEqual([made[0]]);
    expect(await found('&disabled=false&role=member')).toEqual(made.slice(1));
    expect(await found('&role=admin')).toEqual([]);
  });

  test.each(['limit=0', 'limit=1001', 'role=owner', 'disabled=yes', 'cursor=x', 'cursor=a.b', 'email='])(
    'refuses ?%s',
    async (query) => {
      expect((await list(`?${query}`)).status).toBe(400);
    },
  );

  test('is only for administrators', async () => {
    service.caller = callerFor(await service.user());
    expect((await list()).status).toBe(403);
    service.caller = null;
    expect((await list()).status).toBe(401);
  });
});
