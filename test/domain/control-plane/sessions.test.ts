import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import {
  beginSession,
  csrfToken,
  endSession,
  isCsrfToken,
  ongoingSession,
  type SessionLimits,
  type Sessions,
  sessionKey,
  sessions,
  sessionUsed,
} from '../../../src/domain/control-plane/sessions.ts';
import type { PlannedStore } from '../../../src/storage/store.ts';
import { openTemporary } from '../../storage/temporary-folder.ts';

const minute = 60_000;
const hour = 60 * minute;
const limits: SessionLimits = { maxAge: 12 * hour, idleTimeout: 2 * hour };
const who = {
  userId: 'user',
  issuer: 'https://issuer.example',
  subject: 'ada',
  secretId: null,
  sealedTokens: 'sealed',
};

let store: PlannedStore;
let time: number;
let touches: number;
beforeAll(async () => {
  store = await openTemporary();
});
afterAll(async () => {
  await store[Symbol.asyncDispose]();
});
beforeEach(() => {
  time = Date.parse('2026-01-31T12:00:00Z');
  touches = 0;
});

const now = () => new Date(time);
const newSecret = () => randomBytes(32).toString('base64url');
/** Counts writes. */
const counted = (): Sessions => {
  const records = store.of(sessions);
  return {
    get: (key) => records.get(key),
    insert: (some) => records.insert(some),
    update: (...change) => {
      touches += 1;
      return records.update(...change);
    },
    updateAll: (...change) => records.updateAll(...change),
    remove: (key) => records.remove(key),
    page: (...question) => records.page(...question),
    among: (...question) => records.among(...question),
    totals: (...question) => records.totals(...question),
  };
};
const ports = () => ({ sessions: counted(), now, newSecret });
const use = async (id: string, more: Partial<SessionLimits> = {}) => {
  const within = { ...limits, ...more };
  const session = await ongoingSession(ports(), id, within);
  if (session) await sessionUsed(ports(), session, within);
  return session;
};

describe('a session', () => {
  test('is stored under the hash of its id, without the id or the CSRF token', async () => {
    const { id, csrfToken: token } = await beginSession(ports(), who, limits);
    const session = await use(id);
    expect(session).toEqual({
      ...who,
      refreshingUntil: null,
      key: sessionKey(id),
      createdAt: time,
      lastSeenAt: time,
      expiresAt: time + limits.maxAge,
    });
    expect(Buffer.from(id, 'base64url')).toHaveLength(32);
    expect(JSON.stringify(session)).not.toContain(id);
    expect(JSON.stringify(session)).not.toContain(token);
    expect(token).toBe(csrfToken(id));
  });

  test('expires exactly after its idle timeout', async () => {
    const { id } = await beginSession(ports(), who, limits);
    time += limits.idleTimeout - 1;
    expect(await use(id)).toBeDefined();
    time += limits.idleTimeout - 1;
    expect(await use(id)).toBeDefined();
    time += limits.idleTimeout;
    expect(await use(id)).toBeUndefined();
    time -= 1;
    expect(await use(id)).toBeDefined();
  });

  test('expires at its maximum age despite use, also if the maximum was lowered since', async () => {
    const { id } = await beginSession(ports(), who, limits);
    const begun = time;
    for (; time < begun + limits.maxAge; time += hour) expect(await use(id)).toBeDefined();
    expect(await use(id)).toBeUndefined();
    time = begun + 5 * hour;
    expect(await use(id)).toBeDefined();
    expect(await use(id, { maxAge: 5 * hour })).toBeUndefined();
    expect(await use(id, { maxAge: 100 * hour, idleTimeout: 100 * hour })).toBeDefined();
    time = begun + limits.maxAge;
    expect(await use(id, { maxAge: 100 * hour, idleTimeout: 100 * hour })).toBeUndefined();
  });

  test('is written at most once a minute with an idle timeout of two hours, and never outlives it', async () => {
    const { id } = await beginSession(ports(), who, limits);
    const begun = time;
    for (; time < begun + 10 * minute; time += 1_000) await use(id);
    expect(touches).toBe(9);
    const used = time - 1_000;
    time = used + limits.idleTimeout - minute;
    expect(await use(id)).toBeDefined();
    time = begun + 9 * minute + limits.idleTimeout * 2;
    expect(await use(id)).toBeUndefined();
  });

  test('ends at once on logout', async () => {
    const { id } = await beginSession(ports(), who, limits);
    const other = await beginSession(ports(), who, limits);
    await endSession(ports(), id);
    expect(await use(id)).toBeUndefined();
    expect(await use(other.id)).toBeDefined();
    await endSession(ports(), id);
    await endSession(ports(), 'nonsense');
  });

  test.each(['', 'x', `${newSecret()}x`, newSecret().replace(/.$/, '!'), newSecret(), 'ä'.repeat(43)])(
    'is none of %j',
    async (id) => {
      expect(await use(id)).toBeUndefined();
    },
  );

  test('requires ids of at least 32 bytes', async () => {
    const short = { ...ports(), newSecret: () => randomBytes(31).toString('base64url') };
    await expect(beginSession(short, who, limits)).rejects.toThrow('32 bytes');
  });
});

test('a CSRF token is valid only for its session, and must match in header and cookie', () => {
  const [id, other] = [newSecret(), newSecret()];
  const token = csrfToken(id);
  expect(isCsrfToken(id, token, token)).toBe(true);
  for (const [header, cookie] of [
    [undefined, token],
    [token, undefined],
    [undefined, undefined],
    ['', ''],
    [csrfToken(other), csrfToken(other)],
    [token, csrfToken(other)],
    [`${token}x`, `${token}x`],
    [sessionKey(id), sessionKey(id)],
    [id, id],
  ])
    expect(isCsrfToken(id, header, cookie)).toBe(false);
});
