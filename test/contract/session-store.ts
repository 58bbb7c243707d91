import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Session, SessionStore } from '../../src/domain/control-plane/sessions.ts';
import { issuer } from './users.ts';

interface Stores extends AsyncDisposable {
  readonly sessions: SessionStore;
}

/** Far enough ahead that no server takes them away. */
const later = Date.parse('2100-01-01T00:00:00Z');

/** What every SessionStore does. */
export function sessionStoreContract(open: () => Promise<Stores>): void {
  describe('a session store', () => {
    let stores: Stores;
    let sessions: SessionStore;

    beforeAll(async () => {
      stores = await open();
      sessions = stores.sessions;
    });
    afterAll(async () => {
      await stores[Symbol.asyncDispose]();
    });

    async function added(more: Partial<Session> = {}): Promise<Session> {
      const [key, userId, subject] = [randomUUID(), randomUUID(), randomUUID()];
      const times = { createdAt: 5, lastSeenAt: 6, expiresAt: later };
      const session = { key, userId, issuer, subject, sealedIdToken: 'sealed', ...times, ...more };
      await sessions.add(session);
      return session;
    }

    test('keeps a session as it was added', async () => {
      const session = await added();
      const other = await added({ sealedIdToken: null });
      expect(await sessions.get(session.key)).toEqual(session);
      expect(await sessions.get(other.key)).toEqual(other);
      expect(await sessions.get(randomUUID())).toBeUndefined();
    });

    test('moves the time at which it was seen on and never back, and brings none back', async () => {
      const session = await added();
      await sessions.touch(session.key, 20);
      await sessions.touch(session.key, 10);
      expect(await sessions.get(session.key)).toEqual({ ...session, lastSeenAt: 20 });
      await sessions.remove(session.key);
      await sessions.touch(session.key, 30);
      expect(await sessions.get(session.key)).toBeUndefined();
    });

    test('removes one, once', async () => {
      const { key } = await added();
      expect(await sessions.remove(key)).toBe(true);
      expect(await sessions.remove(key)).toBe(false);
      expect(await sessions.get(key)).toBeUndefined();
    });

    test('removes all of a user and no others', async () => {
      const userId = randomUUID();
      const mine = await Promise.all([added({ userId }), added({ userId }), added({ userId })]);
      const other = await added();
      expect(await sessions.removeOfUser(userId)).toBe(3);
      expect(await sessions.removeOfUser(userId)).toBe(0);
      for (const { key } of mine) expect(await sessions.get(key)).toBeUndefined();
      expect(await sessions.get(other.key)).toEqual(other);
    });

    test('removes those whose time has come', async () => {
      const over = await added({ expiresAt: later + 1_000 });
      const goingOn = await added({ expiresAt: later + 1_001 });
      expect(await sessions.removeExpired(later - 1)).toBe(0);
      await sessions.removeExpired(later + 1_000);
      expect(await sessions.get(over.key)).toBeUndefined();
      expect(await sessions.get(goingOn.key)).toEqual(goingOn);
    });
  });
}
