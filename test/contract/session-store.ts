import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { RecordStore } from '../../src/domain/collections/collection.ts';
import type { Session } from '../../src/domain/control-plane/sessions.ts';
import { sessionsOf } from './nouns.ts';
import { issuer } from './users.ts';

/** Far enough ahead that no server takes them away. */
const later = Date.parse('2100-01-01T00:00:00Z');

/** What the domain does with sessions, in every store. */
export function sessionStoreContract(open: () => Promise<RecordStore & AsyncDisposable>): void {
  describe('sessions', () => {
    let stores: RecordStore & AsyncDisposable;
    let sessions: ReturnType<typeof sessionsOf>;

    beforeAll(async () => {
      stores = await open();
      sessions = sessionsOf(stores);
    });
    afterAll(async () => {
      await stores[Symbol.asyncDispose]();
    });

    async function added(more: Partial<Session> = {}): Promise<Session> {
      const [key, userId, subject] = [randomUUID(), randomUUID(), randomUUID()];
      const times = { createdAt: 5, lastSeenAt: 6, expiresAt: later };
      const session = {
        key,
        userId,
        issuer,
        subject,
        secretId: null,
        sealedTokens: 'sealed',
        refreshingUntil: null,
        ...times,
        ...more,
      };
      await sessions.add(session);
      return session;
    }

    test('keeps a session as it was added', async () => {
      const session = await added();
      const other = await added({ sealedTokens: null });
      expect(await sessions.get(session.key)).toEqual(session);
      expect(await sessions.get(other.key)).toEqual(other);
      expect(await sessions.get(randomUUID())).toBeUndefined();
    });

    test('moves the last use only forward, and never restores a session', async () => {
      const session = await added();
      await sessions.touch(session.key, 20);
      await sessions.touch(session.key, 10);
      expect(await sessions.get(session.key)).toEqual({ ...session, lastSeenAt: 20 });
      await sessions.remove(session.key);
      await sessions.touch(session.key, 30);
      expect(await sessions.get(session.key)).toBeUndefined();
    });

    test('removes a session once', async () => {
      const { key } = await added();
      expect(await sessions.remove(key)).toBe(true);
      expect(await sessions.remove(key)).toBe(false);
      expect(await sessions.get(key)).toBeUndefined();
    });

    test('removes all sessions of a user and no others', async () => {
      const userId = randomUUID();
      const mine = await Promise.all([added({ userId }), added({ userId }), added({ userId })]);
      const other = await added();
      await sessions.removeOfUser(userId);
      for (const { key } of mine) expect(await sessions.get(key)).toBeUndefined();
      expect(await sessions.get(other.key)).toEqual(other);
    });

    test('removes expired sessions', async () => {
      const over = await added({ expiresAt: later + 1_000 });
      const goingOn = await added({ expiresAt: later + 1_001 });
      await sessions.removeExpired(later - 1);
      expect(await sessions.get(over.key)).toEqual(over);
      await sessions.removeExpired(later + 1_000);
      expect(await sessions.get(over.key)).toBeUndefined();
      expect(await sessions.get(goingOn.key)).toEqual(goingOn);
    });
  });
}
