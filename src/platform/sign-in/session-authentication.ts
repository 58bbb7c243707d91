import type { Context } from 'hono';
import { RefusedSession } from '../../domain/control-plane/refused-session.ts';
import {
  isCsrfToken,
  ongoingSession,
  type Session,
  type SessionLimits,
  type Sessions,
  sessionUsed,
} from '../../domain/control-plane/sessions.ts';
import { assertEnabled, type User, type Users } from '../../domain/control-plane/users.ts';
import { csrfCookiesOf, sessionIdsOf } from './session-cookies.ts';

/** How browsers authenticate. */
export interface SessionMode {
  /** The current provider. Sessions of a former provider are refused. */
  readonly issuer: string;
  /** Names the current session secret. Sessions of a former secret are refused. */
  readonly secretId: string;
  readonly limits: SessionLimits;
  /** Origins of the pages that may change something with a session. */
  readonly origins: ReadonlySet<string>;
}

export interface SessionPorts {
  readonly sessions: Sessions;
  readonly users: Pick<Users, 'get'>;
  readonly now: () => Date;
}

/** The user of a session that has not ended. */
export interface SignedIn {
  readonly session: Session;
  readonly user: User;
}

/** Whether a request has a bearer token. Then only the token counts, whatever its cookies say. */
export function sendsToken(context: Context): boolean {
  return /^\s*bearer\b/i.test(context.req.header('authorization') ?? '');
}

/**
 * The session of a request. It is read from the store each time, so that its end takes effect at once everywhere.
 * @param mode null if nobody signs in by browser.
 * @throws RefusedSession; ServiceError `forbidden` for a disabled user.
 */
export async function signedIn(
  context: Context,
  mode: SessionMode | null,
  { sessions, users, now }: SessionPorts,
): Promise<SignedIn> {
  const ids = sessionIdsOf(context);
  if (mode === null || ids.length === 0) throw new RefusedSession('no_credentials');
  const found = await Promise.all(
    ids.map(async (id) => ({ id, session: await ongoingSession({ sessions, now }, id, mode.limits) })),
  );
  const [first, ...others] = found.filter(
    ({ session }) => session?.issuer === mode.issuer && session.secretId === mode.secretId,
  );
  if (!first?.session) throw new RefusedSession('session_over');
  // Another site of a shared domain can plant a session of its own.
  if (others.length > 0) throw new RefusedSession('several_sessions');
  const { id, session } = first;
  const user = await users.get(session.userId);
  assertEnabled(user);
  if (!user) throw new RefusedSession('session_over');
  if (!isReading(context)) assertOwnPage(context, id, mode.origins);
  await sessionUsed({ sessions, now }, session, mode.limits);
  return { session, user };
}

/** Whether a request needs no CSRF token. Browsers send session cookies unasked, but never bearer tokens. */
function isReading({ req: { method } }: Context): boolean {
  return method === 'GET' || method === 'HEAD';
}

/**
 * Browsers send the session cookie with the requests of any page. Only pages of this service know the CSRF token.
 * @throws RefusedSession.
 */
function assertOwnPage(context: Context, sessionId: string, origins: ReadonlySet<string>): void {
  const origin = context.req.header('origin');
  if (origin !== undefined && !origins.has(origin)) throw new RefusedSession('foreign_origin');
  const header = context.req.header('x-csrf-token');
  if (!csrfCookiesOf(context).some((cookie) => isCsrfToken(sessionId, header, cookie)))
    throw new RefusedSession('wrong_csrf_token');
}
