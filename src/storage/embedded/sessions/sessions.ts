import type { StatementSync } from 'node:sqlite';
import type { Session, SessionStore } from '../../../domain/control-plane/sessions.ts';
import type { Database } from '../database.ts';
import { nullableText } from '../nullable-text.ts';
import type { Row } from '../statements/statement-rows.ts';

export class EmbeddedSessions implements SessionStore {
  readonly #writes: Database['writes'];
  readonly #byKey: StatementSync;
  readonly #expired: StatementSync;

  constructor({ reader, writes }: Database) {
    this.#writes = writes;
    this.#byKey = reader.prepare('SELECT * FROM sessions WHERE key = ?');
    this.#expired = reader.prepare('SELECT 1 FROM sessions WHERE expires_at <= ? LIMIT 1');
  }

  async add(session: Session): Promise<void> {
    await this.#writes.run('addSession', session);
  }

  async get(key: string): Promise<Session | undefined> {
    const row = this.#byKey.get(key);
    return row && sessionOf(row);
  }

  async touch(key: string, now: number): Promise<void> {
    await this.#writes.run('touchSession', { key, now });
  }

  async remove(key: string): Promise<boolean> {
    return await this.#writes.run('removeSession', { key });
  }

  async removeOfUser(userId: string): Promise<number> {
    return await this.#writes.run('removeSessionsOfUser', { userId });
  }

  async removeExpired(now: number): Promise<number> {
    return this.#expired.get(now) ? await this.#writes.run('removeExpiredSessions', { now }) : 0;
  }
}

export function sessionOf(row: Row): Session {
  return {
    key: String(row.key),
    userId: String(row.user_id),
    issuer: String(row.issuer),
    subject: String(row.subject),
    sealedIdToken: nullableText(row.sealed_id_token),
    createdAt: Number(row.created_at),
    lastSeenAt: Number(row.last_seen_at),
    expiresAt: Number(row.expires_at),
  };
}
