import type { Context } from 'hono';
import { isCsrfToken } from '../../domain/control-plane/session-secrets.ts';
import { ServiceError } from '../../domain/errors.ts';
import { csrfCookieOf } from './session-cookies.ts';

/**
 * A browser sends a session's cookie along with whatever any page asks for. A request that changes something has to
 * come from a page of ours, which knows the session's CSRF token.
 * @throws ServiceError `forbidden`.
 */
export function demandOwnPage(context: Context, sessionId: string, origins: ReadonlySet<string>): void {
  const origin = context.req.header('origin');
  if (origin !== undefined && !origins.has(origin))
    throw new ServiceError('forbidden', 'A page of another site may change nothing by this session.');
  if (isCsrfToken(sessionId, context.req.header('x-csrf-token'), csrfCookieOf(context))) return;
  throw new ServiceError(
    'forbidden',
    'The CSRF token is missing or wrong. Send the value of the cookie svc_csrf as the header X-CSRF-Token.',
  );
}
