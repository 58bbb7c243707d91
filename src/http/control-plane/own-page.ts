import type { Context } from 'hono';
import { isCsrfToken } from '../../domain/control-plane/session-secrets.ts';
import { RefusedSession } from './refused-session.ts';
import { csrfCookiesOf } from './session-cookies.ts';

/**
 * A browser sends a session's cookie along with whatever any page asks for. A request that changes something has to
 * come from a page of ours, which knows the session's CSRF token.
 * @throws RefusedSession.
 */
export function demandOwnPage(context: Context, sessionId: string, origins: ReadonlySet<string>): void {
  const origin = context.req.header('origin');
  if (origin !== undefined && !origins.has(origin)) throw new RefusedSession('foreign_origin');
  const header = context.req.header('x-csrf-token');
  if (!csrfCookiesOf(context).some((cookie) => isCsrfToken(sessionId, header, cookie)))
    throw new RefusedSession('wrong_csrf_token');
}
