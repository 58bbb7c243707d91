import { createHmac, hash, timingSafeEqual } from 'node:crypto';
import { z } from 'zod';
import { collection, type RecordsOf } from '../collections/collection.ts';
import { eachRecord } from '../collections/records.ts';

const time = z.int();

/** A browser session of a user. */
export const sessions = collection('sessions', {
  shape: z.object({
    /** The hash of the session's id. */
    key: z.string().min(1),
    userId: z.uuid(),
    issuer: z.string().min(1),
    subject: z.string().min(1),
    /** Names the session secret. The session counts only where that secret is used. Earlier records do not have it. */
    secretId: z.string().nullable().default(null),
    /** The tokens of the provider, encrypted with the session secret. Earlier records do not have them. */
    sealedTokens: z.string().nullable().default(null),
    /** Until then one process refreshes the tokens; null if none does. Earlier records do not have it. */
    refreshingUntil: time.nullable().default(null),
    createdAt: time,
    lastSeenAt: time,
    /** The end of the session, even if it is in use. */
    expiresAt: time,
  }),
  key: 'key',
  indexes: { byUser: ['userId'] },
  expiry: 'expiresAt',
  isTransient: true,
});

export type Session = Readonly<z.output<typeof sessions.shape>>;
export type Sessions = RecordsOf<typeof sessions>;

/** In milliseconds. */
export interface SessionLimits {
  readonly maxAge: number;
  readonly idleTimeout: number;
}

type NewSession = Pick<Session, 'userId' | 'issuer' | 'subject' | 'secretId' | 'sealedTokens'>;

interface SessionPorts {
  readonly sessions: Sessions;
  readonly now: () => Date;
}

/** The secrets of a new session, which only the browser gets. */
export interface SessionSecrets {
  readonly id: SessionId;
  readonly csrfToken: string;
}

/** @param newSecret returns 256 random bits in base64url. */
export async function beginSession(
  { sessions, now, newSecret }: SessionPorts & { readonly newSecret: () => string },
  session: NewSession,
  { maxAge }: SessionLimits,
): Promise<SessionSecrets> {
  const id = newSecret();
  const key = sessionKey(id);
  if (key === undefined) throw new TypeError('A session id is 32 bytes in base64url.');
  const createdAt = now().getTime();
  const times = { createdAt, lastSeenAt: createdAt, expiresAt: createdAt + maxAge };
  await sessions.insert([{ ...session, key, refreshingUntil: null, ...times }]);
  return { id, csrfToken: csrfToken(id) };
}

/** The session with this id; undefined if it has ended or never existed. */
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

/** The last use is stored this often in an idle time. */
const touchesPerIdleTime = 120;

/** Notes that a session is used. The stored time may be 1/120 of the idle time old. Of concurrent updates one wins. */
export async function sessionUsed(
  { sessions, now }: SessionPorts,
  { key, lastSeenAt }: Session,
  { idleTimeout }: SessionLimits,
): Promise<void> {
  const time = now().getTime();
  if (time - lastSeenAt >= idleTimeout / touchesPerIdleTime)
    await sessions.update(key, { lastSeenAt }, { lastSeenAt: time });
}

export async function endSession({ sessions }: Pick<SessionPorts, 'sessions'>, id: string): Promise<void> {
  const key = sessionKey(id);
  if (key !== undefined) await sessions.remove(key);
}

export async function endSessionsOf(sessions: Sessions, userId: string): Promise<void> {
  for await (const { key } of eachRecord(sessions, 'byUser', [userId])) await sessions.remove(key);
}

/** 256 random bits in base64url. Only the cookie of the session contains it. */
type SessionId = string;

const shape = /^[\w-]{43}$/;

/** Whether a text has the form of a session id or of a CSRF token. */
export function isSecretText(text: string): boolean {
  return shape.test(text);
}

/** The key under which a session is stored, from which its id cannot be derived. Undefined if the text is not an id. */
export function sessionKey(id: string): string | undefined {
  return isSecretText(id) ? hash('sha256', id, 'base64url') : undefined;
}

/** The CSRF token of a session. It is derived from the id, so it need not be stored. */
export function csrfToken(id: SessionId): string {
  return createHmac('sha256', id).update('cairn csrf').digest('base64url');
}

/** Whether header and cookie both contain the token of the session. Compares in constant time. */
export function isCsrfToken(id: SessionId, header: string | undefined, cookie: string | undefined): boolean {
  const token = Buffer.from(csrfToken(id));
  return [header, cookie].every((text) => {
    const given = Buffer.from(text ?? '');
    return given.length === token.length && timingSafeEqual(given, token);
  });
}
