import type { Context } from 'hono';
import { deleteCookie, setCookie } from 'hono/cookie';
import { isSecretText, type SessionSecrets } from '../../domain/control-plane/sessions.ts';

/** The specification (part 2) fixes these names. */
const sessionCookie = 'svc_session';
const csrfCookie = 'svc_csrf';

export interface CookieRules {
  readonly isSecure: boolean;
  /** null: only the host that sets the cookies gets them. */
  readonly domain: string | null;
  /** Maximum number of milliseconds for which a browser keeps the cookies. */
  readonly maxAge: number;
}

/** Browsers keep no cookie for longer (RFC 6265bis, section 5.5). */
const longestSeconds = 400 * 86_400;

/** Maximum number of values of a name. A browser has one for each domain and path that may set it. */
const mostValues = 5;

export function sessionIdsOf(context: Context): readonly string[] {
  return valuesOf(context, sessionCookie);
}

export function csrfCookiesOf(context: Context): readonly string[] {
  return valuesOf(context, csrfCookie);
}

/** The different well-formed values of a name. Their order does not tell their origin (RFC 6265, section 4.2.2). */
function valuesOf(context: Context, name: string): readonly string[] {
  const values = (context.req.header('cookie') ?? '')
    .split(';')
    .map((pair) => pair.trim())
    .filter((pair) => pair.startsWith(`${name}=`))
    .map((pair) => pair.slice(name.length + 1))
    .filter(isSecretText);
  return [...new Set(values)].slice(0, mostValues);
}

/** Scripts of pages can read the CSRF cookie, but not the session cookie. */
export function setSessionCookies(
  context: Context,
  { id, csrfToken }: SessionSecrets,
  rules: CookieRules,
): void {
  const maxAge = Math.min(Math.floor(rules.maxAge / 1_000), longestSeconds);
  setCookie(context, sessionCookie, id, { ...attributes(rules), maxAge, httpOnly: true });
  setCookie(context, csrfCookie, csrfToken, { ...attributes(rules), maxAge });
  if (rules.domain !== null) deleteOwn(context, { ...rules, domain: null });
}

export function deleteSessionCookies(context: Context, rules: CookieRules): void {
  // The browser may have cookies from before a domain was set.
  if (rules.domain !== null) deleteOwn(context, { ...rules, domain: null });
  deleteOwn(context, rules);
}

function deleteOwn(context: Context, rules: CookieRules): void {
  deleteCookie(context, sessionCookie, { ...attributes(rules), httpOnly: true });
  deleteCookie(context, csrfCookie, attributes(rules));
}

function attributes({ isSecure, domain }: CookieRules) {
  return { path: '/', sameSite: 'Lax', secure: isSecure, ...(domain !== null && { domain }) } as const;
}
