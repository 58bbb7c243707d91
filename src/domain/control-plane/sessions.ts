import { z } from 'zod';
import { collection, type RecordsOf } from '../collections/collection.ts';
import { eachRecord } from '../collections/records.ts';
import { csrfToken, type SessionId, sessionKey } from './session-secrets.ts';

const time = z.int();

/** A browser in which somebody has logged in. */
export const sessions = collection('sessions', {
  shape: z.object({
    /** The hash of the session's id. */
    key: z.string().min(1),
    userId: z.uuid(),
    issuer: z.string().min(1),
    subject: z.string().min(1),
    /** The ID token of the login, encrypted; null where it is not kept. */
    sealedIdToken: z.string().nullable(),
    createdAt: time,
    lastSeenAt: time,
    /** When it is over, however much it is used. */
    expiresAt: time,
  }),
  key: 'key',
  indexes: { byUser: ['userId'] },
  expiry: 'expiresAt',
  isTransient: true,
});

export type Session = Readonly<z.output<typeof sessions.shape>>;
export type Sessions = RecordsOf<typeof sessions>;

/** Milliseconds. */
export interface SessionLimits {
  readonly maxAge: number;
  readonly idleTimeout: number;
}

type NewSession = Pick<Session, 'userId' | 'issuer' | 'subject' | 'sealedIdToken'>;

interface SessionPorts {
  readonly sessions: Sessions;
  readonly now: () => Date;
}

/** What a browser is given at a login, this once. */
export interface SessionSecrets {
  readonly id: SessionId;
  readonly csrfToken: string;
}

/**
 * Begins a session.
 * @param newSecret 256 random bits in base64url.
 */
export async function beginSession(
  { sessions, now, newSecret }: SessionPorts & { readonly newSecret: () => string },
  { userId, issuer, subject, sealedIdToken }: NewSession,
  { maxAge }: SessionLimits,
): Promise<SessionSecrets> {
  const id = newSecret();
  const key = sessionKey(id);
  if (key === undefined) throw new TypeError('A session id is 32 bytes in base64url.');
  const createdAt = now().getTime();
  const times = { createdAt, lastSeenAt: createdAt, expiresAt: createdAt + maxAge };
  await sessions.insert([{ key, userId, issuer, subject, sealedIdToken, ...times }]);
  return { id, csrfToken: csrfToken(id) };
}

/** The session of an id. undefined for one that is over, was revoked, or never was. */
export async function ongoingSession(
  { sessions, now }: SessionPorts,
  id: string,
  { maxAge, idleTimeout }: SessionLimits,
): Promise<Session | undefined> {
  const key = sessionKey(id);
  const session = key === undefined ? undefined : await sessions.get(key);
  if (!session) return undefined;
  const { createdAt, lastSeenAt, expiresAt } = session;
  const isOver = now().getTime() >= Math.min(expiresAt, createdAt + maxAge, lastSeenAt + idleTimeout);
  return isOver ? undefined : session;
}

/** A session is written once in this fraction of its idle time, however often it is used. */
const touchesPerIdleTime = 120;

/**
 * Notes that a session was used now. It never outlives its idle time from then on, and may miss 1/120 of it. Where
 * another request has noted this at the same time, that one counts.
 */
export async function sessionUsed(
  { sessions, now }: SessionPorts,
  { key, lastSeenAt }: Session,
  { idleTimeout }: SessionLimits,
): Promise<void> {
  const time = now().getTime();
  if (time - lastSeenAt >= idleTimeout / touchesPerIdleTime)
    await sessions.update(key, { lastSeenAt }, { lastSeenAt: time });
}

/** Ends a session. Harmless for an id of none. */
export async function endSession({ sessions }: Pick<SessionPorts, 'sessions'>, id: string): Promise<void> {
  const key = sessionKey(id);
  if (key !== undefined) await sessions.remove(key);
}

/** Ends all sessions of a user. */
export async function endSessionsOf(sessions: Sessions, userId: string): Promise<void> {
  for await (const { key } of eachRecord(sessions, 'byUser', [userId])) await sessions.remove(key);
}
