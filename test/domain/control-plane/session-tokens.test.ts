import { randomBytes } from 'node:crypto';
import { setTimeout } from 'node:timers/promises';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { RefusedSession } from '../../../src/domain/control-plane/refused-session.ts';
import {
  freshTokens,
  type ProviderTokens,
  type SessionTokenPorts,
} from '../../../src/domain/control-plane/session-tokens.ts';
import {
  beginSession,
  type Session,
  sessionKey,
  sessions,
} from '../../../src/domain/control-plane/sessions.ts';
import { ServiceError } from '../../../src/domain/errors.ts';
import type { PlannedStore } from '../../../src/storage/store.ts';
import { openTemporary } from '../../storage/temporary-folder.ts';

let store: PlannedStore;
let time: number;
let session: Session;
/** What the provider was asked with, and how it answers. */
let asked: (string | null)[];
let answer: () => Promise<unknown>;

beforeAll(async () => {
  store = await openTemporary();
});
afterAll(async () => await store[Symbol.asyncDispose]());
beforeEach(async () => {
  time = Date.parse('2026-01-31T12:00:00Z');
  asked = [];
  answer = async () => undefined;
  session = await began({ idToken: 'id', accessToken: 'old', refreshToken: 'first' });
});

async function began(tokens: ProviderTokens): Promise<Session> {
  const ports = { sessions: store.of(sessions), now: () => new Date(time), newSecret };
  const who = { userId: 'user', issuer: 'https://issuer.example', subject: 'ada', secretId: 'secret' };
  const limits = { maxAge: 3_600_000, idleTimeout: 3_600_000 };
  const { id } = await beginSession(ports, { ...who, sealedTokens: JSON.stringify(tokens) }, limits);
  const stored = await store.of(sessions).get(sessionKey(id) ?? '');
  if (!stored) throw new Error('The session is not stored.');
  return stored;
}

const newSecret = () => randomBytes(32).toString('base64url');
const isOld = ({ accessToken }: ProviderTokens) => accessToken === 'old';
const stored = async () => await store.of(sessions).get(session.key);

/** A process. */
const ports = (): SessionTokenPorts => ({
  sessions: store.of(sessions),
  now: () => new Date(time),
  seal: async (tokens) => JSON.stringify(tokens),
  open: async (sealed) => JSON.parse(sealed),
  refresh: async (tokens) => {
    asked.push(tokens.refreshToken);
    await answer();
    return { ...tokens, accessToken: 'new', refreshToken: 'second' };
  },
  pause: async (ms) => {
    time += ms;
    await setTimeout(0);
  },
});

test('one of many processes refreshes, and all get its tokens', async () => {
  answer = async () => await setTimeout(20);
  const found = await Promise.all(Array.from({ length: 8 }, () => freshTokens(ports(), session, isOld)));
  expect(new Set(found.map(({ accessToken }) => accessToken))).toEqual(new Set(['new']));
  expect(asked).toEqual(['first']);
  expect(await stored()).toMatchObject({ refreshingUntil: null });
  expect(await freshTokens(ports(), session, () => false)).toMatchObject({ accessToken: 'old' });
});

test('a provider that is down leaves the session as it was', async () => {
  answer = async () => {
    throw new ServiceError('unavailable', 'The provider does not answer.');
  };
  await expect(freshTokens(ports(), session, isOld)).rejects.toMatchObject({ code: 'unavailable' });
  expect(await stored()).toEqual(session);
  answer = async () => undefined;
  expect(await freshTokens(ports(), session, isOld)).toMatchObject({ accessToken: 'new' });
});

test('a refused refresh ends the session', async () => {
  answer = async () => {
    throw new RefusedSession('grant_ended');
  };
  await expect(freshTokens(ports(), session, isOld)).rejects.toMatchObject({ reason: 'grant_ended' });
  expect(await stored()).toBeUndefined();
});

test('without a refresh token the session ends with its tokens', async () => {
  session = await began({ idToken: 'id', accessToken: 'old', refreshToken: null });
  await expect(freshTokens(ports(), session, isOld)).rejects.toMatchObject({ reason: 'grant_ended' });
  expect([await stored(), asked]).toEqual([undefined, []]);
});

test('a session that ends during a refresh stays ended', async () => {
  answer = async () => await store.of(sessions).remove(session.key);
  await expect(freshTokens(ports(), session, isOld)).rejects.toMatchObject({ reason: 'session_over' });
  expect(await stored()).toBeUndefined();
});

test('another process takes over from one that was killed, and waits no longer than ten seconds', async () => {
  await store.of(sessions).update(session.key, {}, { refreshingUntil: time + 40_000 });
  const began = time;
  await expect(freshTokens(ports(), session, isOld)).rejects.toMatchObject({ code: 'unavailable' });
  expect(time - began).toBeLessThan(11_000);
  time = began + 40_000;
  expect(await freshTokens(ports(), session, isOld)).toMatchObject({ accessToken: 'new' });
});
