import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { changeUser } from '../../../src/domain/control-plane/administrators.ts';
import { callerOf } from '../../../src/domain/control-plane/known-caller.ts';
import { type Identity, logIn } from '../../../src/domain/control-plane/logins.ts';
import type { PlannedStore } from '../../../src/storage/store.ts';
import { administrationOf, sessionsOf, usersOf } from '../../contract/nouns.ts';
import { newIdentity, newUser } from '../../contract/users.ts';
import { openTemporary } from '../../storage/temporary-folder.ts';

let store: PlannedStore;
beforeAll(async () => {
  store = await openTemporary();
});
afterAll(async () => {
  await store[Symbol.asyncDispose]();
});

const noRules = { allowedEmailDomains: [], bootstrapAdminEmail: null };
const now = () => new Date(1_000);
const login = (identity: Identity, rules: Partial<Parameters<typeof logIn>[2]> = {}) =>
  logIn({ users: usersOf(store).records, newId: randomUUID, now }, identity, { ...noRules, ...rules });

describe('a login', () => {
  test.each([
    ['a verified one of the domain', 'ada@example.com', true, true],
    ['in any case', 'Ada@EXAMPLE.com', true, true],
    ['one that is not verified', 'ada@example.com', false, false],
    ['of a subdomain', 'ada@mail.example.com', true, false],
    ['of a domain that ends alike', 'ada@notexample.com', true, false],
    ['of a domain that begins alike', 'ada@example.com.evil.org', true, false],
    ['with two at signs', 'ada@evil.org@example.com', true, false],
    ['with a quoted part', '"ada@evil.org"@example.com', true, false],
    ['with a line break', 'ada@evil.org\n@example.com', true, false],
    ['of a domain that folds to it beyond ASCII', 'ada@ban\u212a.example', true, false],
    ['with nothing before the domain', '@example.com', true, false],
    ['none', null, true, false],
  ])('with allowed e-mail domains: %s', async (_, email, emailVerified, isAllowed) => {
    const identity = newIdentity({ email, emailVerified });
    const allowedEmailDomains = ['other.org', 'Example.COM', 'bank.example'];
    const attempt = login(identity, { allowedEmailDomains });
    if (isAllowed) expect(await attempt).toMatchObject({ email, role: 'member' });
    else await expect(attempt).rejects.toMatchObject({ code: 'forbidden' });
    expect(Boolean(await usersOf(store).bySubject(identity.issuer, identity.subject))).toBe(isAllowed);
  });

  test('needs no e-mail if any domain is allowed', async () => {
    expect(await login(newIdentity({ email: null, emailVerified: false }))).toMatchObject({ email: null });
  });

  test('is refused for a disabled user and changes nothing', async () => {
    const identity = newIdentity();
    const user = await login(identity);
    const disabled = await usersOf(store).change(user.id, { disabled: true }, 2_000);
    await expect(login({ ...identity, name: 'New' })).rejects.toMatchObject({ code: 'forbidden' });
    expect(await usersOf(store).get(user.id)).toEqual(disabled);
  });
});

describe('the bootstrap administrator', () => {
  const bootstrap = (identity: Identity, email: string | null) =>
    login(identity, { bootstrapAdminEmail: email });

  test('is the first user with that verified e-mail, case-insensitive, and remains so', async () => {
    const email = `${randomUUID()}@Example.com`;
    const identity = newIdentity({ email: email.toLowerCase() });
    const first = await bootstrap(identity, email.toUpperCase());
    expect(first).toMatchObject({ role: 'admin', roleSource: 'bootstrap' });
    expect(await bootstrap({ ...identity, email: null }, email)).toMatchObject({ role: 'admin' });
    expect(await bootstrap(newIdentity({ email }), email)).toMatchObject({ role: 'member' });
    expect(await bootstrap({ ...identity, issuer: 'https://x.example' }, email)).toMatchObject({
      role: 'member',
    });
  });

  test('must have exactly that e-mail, verified', async () => {
    const email = `${randomUUID()}@example.com`;
    const kay = `kay-${email}`;
    // The Kelvin sign, which is a k in lower case.
    const alike = newIdentity({ email: kay.replace('k', '\u212a') });
    expect(await bootstrap(alike, kay)).toMatchObject({ role: 'member', roleSource: 'default' });
    for (const identity of [
      newIdentity({ email, emailVerified: false }),
      newIdentity({ email: `x${email}` }),
      newIdentity({ email: null }),
    ])
      expect(await bootstrap(identity, email)).toMatchObject({ role: 'member', roleSource: 'default' });
  });

  test('may have logged in before the setting was made, but must not have been demoted', async () => {
    const email = `${randomUUID()}@example.com`;
    const identity = newIdentity({ email });
    const before = await login(identity);
    expect(await bootstrap(identity, email)).toMatchObject({ id: before.id, role: 'admin' });
    await bootstrap(newIdentity({ email: 'another@example.com' }), 'another@example.com');
    await usersOf(store).change(before.id, { role: 'member' }, 3_000);
    expect(await bootstrap(identity, email)).toMatchObject({ role: 'member', roleSource: 'override' });
    expect(await bootstrap(newIdentity({ email }), email)).toMatchObject({ role: 'member' });
  });
});

describe('a caller', () => {
  const proven = { issuer: 'i', subject: 's' };
  const admin = newUser({ role: 'admin', roleSource: 'override' });
  const member = newUser();

  test.each([
    ['a session has the stored role', 'session', 'member', admin, 'admin', 'override'],
    ['an auth service is a hint', 'auth_service_bearer', 'admin', undefined, 'admin', 'claim'],
    [
      'an auth service is a hint to be a member',
      'auth_service_bearer',
      'member',
      undefined,
      'member',
      'default',
    ],
    ['a stored member overrides the hint', 'auth_service_bearer', 'admin', member, 'member', 'default'],
    [
      'a stored administrator overrides the hint',
      'auth_service_bearer',
      'member',
      admin,
      'admin',
      'override',
    ],
    ['an OIDC bearer stays a member', 'oidc_bearer', 'admin', admin, 'member', 'id_token'],
    ['an OIDC bearer nobody knows is a member', 'oidc_bearer', 'admin', undefined, 'member', 'id_token'],
  ] as const)('%s', (_, means, roleHint, user, role, roleSource) => {
    expect(callerOf({ ...proven, means, roleHint }, user)).toEqual({
      ...proven,
      means,
      role,
      roleSource,
      userId: user?.id ?? null,
    });
  });

  test.each(['session', 'oidc_bearer', 'auth_service_bearer'] as const)(
    'is refused when disabled: %s',
    (means) => {
      const disabled = newUser({ role: 'admin', disabled: true });
      const refused = () => callerOf({ ...proven, means, roleHint: 'admin' }, disabled);
      expect(refused).toThrow(expect.objectContaining({ code: 'forbidden' }));
    },
  );
});

test('disabling or enabling a user ends all their sessions, but a new role does not', async () => {
  const ports = administrationOf(store, now);
  const sessions = sessionsOf(store);
  const user = await login(newIdentity());
  const { issuer, subject } = user;
  const times = { createdAt: 1, lastSeenAt: 1, expiresAt: 9_000 };
  const begin = async () => {
    const key = randomUUID();
    await sessions.add({
      key,
      userId: user.id,
      issuer,
      subject,
      secretId: null,
      sealedTokens: null,
      refreshingUntil: null,
      ...times,
    });
    return key;
  };
  const keys = [await begin(), await begin()];
  await changeUser(ports, user.id, { role: 'admin' });
  for (const key of keys) expect(await sessions.get(key)).toBeDefined();
  await changeUser(ports, user.id, { role: 'member', disabled: true });
  for (const key of keys) expect(await sessions.get(key)).toBeUndefined();
  const late = await begin();
  await changeUser(ports, user.id, { disabled: false });
  expect(await sessions.get(late)).toBeUndefined();
  const unknown = changeUser(ports, randomUUID(), { disabled: true });
  await expect(unknown).rejects.toMatchObject({ code: 'not_found' });
});

test('a user stays disabled even if ending the old sessions failed', async () => {
  const ports = administrationOf(store, now);
  const user = await login(newIdentity());
  const away = { ...ports.sessions, page: () => Promise.reject(new Error('The store is away.')) };
  for (const disabled of [true, false])
    await expect(changeUser({ ...ports, sessions: away }, user.id, { disabled })).rejects.toThrow('away');
  expect(await ports.users.get(user.id)).toMatchObject({ disabled: true });
});
