import type { Context } from 'hono';
import { deleteCookie, getCookie, setCookie } from 'hono/cookie';
import type { SessionSecrets } from '../../domain/control-plane/sessions.ts';

/** Names of the specification, part 2. */
const sessionCookie = 'svc_session';
const csrfCookie = 'svc_csrf';

export interface CookieRules {
  readonly isSecure: boolean;
  /** null: the host that sets them, alone. */
  readonly domain: string | null;
  /** Milliseconds for which a browser keeps them at most. */
  readonly maxAge: number;
}

/** Browsers keep no cookie for longer (RFC 6265bis, section 5.5). */
const longestSeconds = 400 * 86_400;

/** The id of the session that a browser says it has, if any. */
export function sessionIdOf(context: Context): string | undefined {
  return getCookie(context, sessionCookie);
}

export function csrfCookieOf(context: Context): string | undefined {
  return getCookie(context, csrfCookie);
}

/** The session's cookie is for the service alone; that of the CSRF token is for the pages' scripts. */
export function setSessionCookies(
  context: Context,
  { id, csrfToken }: SessionSecrets,
  rules: CookieRules,
): void {
  const maxAge = Math.min(Math.floor(rules.maxAge / 1_000), longestSeconds);
  setCookie(context, sessionCookie, id, { ...attributes(rules), maxAge, httpOnly: true });
  setCookie(context, csrfCookie, csrfToken, { ...attributes(rules), maxAge });
}

export function deleteSessionCookies(context: Context, rules: CookieRules): void {
  deleteCookie(context, sessionCookie, { ...attributes(rules), httpOnly: true });
  deleteCookie(context, csrfCookie, attributes(rules));
}

function attributes({ isSecure, domain }: CookieRules) {
  return { path: '/', sameSite: 'Lax', secure: isSecure, ...(domain !== null && { domain }) } as const;
}
