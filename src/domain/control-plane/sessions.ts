import { csrfToken, type SessionId, sessionKey } from './session-secrets.ts';

/** A browser that somebody has logged in with. Times are milliseconds since 1970. */
export interface Session {
  /** The hash of the session's id. */
  readonly key: string;
  readonly userId: string;
  readonly issuer: string;
  readonly subject: string;
  /** The ID token of the login, encrypted; null where it is not kept. */
  readonly sealedIdToken: string | null;
  readonly createdAt: number;
  readonly lastSeenAt: number;
  /** When it is over whatever happens. */
  readonly expiresAt: number;
}

/** Milliseconds. */
export interface SessionLimits {
  readonly maxAge: number;
  readonly idleTimeout: number;
}

/** Each call is atomic, durable when it resolves, and seen by every process from then on. */
export interface SessionStore {
  add(session: Session): Promise<void>;

  get(key: string): Promise<Session | undefined>;

  /** Moves `lastSeenAt` on, never back. Harmless for a session that has been removed. */
  touch(key: string, now: number): Promise<void>;

  /** false: there was none. */
  remove(key: string): Promise<boolean>;

  /** @returns how many there were. */
  removeOfUser(userId: string): Promise<number>;

  /** Removes those whose `expiresAt` has come. @returns how many there were. */
  removeExpired(now: number): Promise<number>;
}

interface NewSession {
  readonly userId: string;
  readonly issuer: string;
  readonly subject: string;
  readonly sealedIdToken: string | null;
}

interface SessionPorts {
  readonly sessions: SessionStore;
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
  await sessions.add({ key, userId, issuer, subject, sealedIdToken, ...times });
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

/** A session is written once in so much of its idle time, however often it is used. */
const touchesPerIdleTime = 120;

/**
 * That a session was used now, by a request that counts. It never outlives its idle time from then on, and may miss
 * 1/120 of it.
 */
export async function sessionUsed(
  { sessions, now }: SessionPorts,
  { key, lastSeenAt }: Session,
  { idleTimeout }: SessionLimits,
): Promise<void> {
  const time = now().getTime();
  if (time - lastSeenAt >= idleTimeout / touchesPerIdleTime) await sessions.touch(key, time);
}

/** Ends a session. Harmless for an id of none. */
export async function endSession({ sessions }: Pick<SessionPorts, 'sessions'>, id: string): Promise<void> {
  const key = sessionKey(id);
  if (key !== undefined) await sessions.remove(key);
}
