import type { DatabaseSync } from 'node:sqlite';
import type { Session } from '../../../domain/control-plane/sessions.ts';

/** Writes of sessions, for the thread that writes. */
export function sessionWrites(database: DatabaseSync) {
  const add = database.prepare(
    `INSERT INTO sessions (key, user_id, issuer, subject, sealed_id_token, created_at, last_seen_at, expires_at)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
  );
  const touch = database.prepare(
    'UPDATE sessions SET last_seen_at = ?2 WHERE key = ?1 AND last_seen_at < ?2',
  );
  const remove = database.prepare('DELETE FROM sessions WHERE key = ?');
  const removeOfUser = database.prepare('DELETE FROM sessions WHERE user_id = ?');
  const removeExpired = database.prepare('DELETE FROM sessions WHERE expires_at <= ?');

  return {
    addSession({ key, userId, issuer, subject, sealedIdToken, ...times }: Session): void {
      const { createdAt, lastSeenAt, expiresAt } = times;
      add.run(key, userId, issuer, subject, sealedIdToken, createdAt, lastSeenAt, expiresAt);
    },

    touchSession({ key, now }: { key: string; now: number }): void {
      touch.run(key, now);
    },

    removeSession({ key }: { key: string }): boolean {
      return remove.run(key).changes === 1;
    },

    removeSessionsOfUser({ userId }: { userId: string }): number {
      return Number(removeOfUser.run(userId).changes);
    },

    removeExpiredSessions({ now }: { now: number }): number {
      return Number(removeExpired.run(now).changes);
    },
  };
}
