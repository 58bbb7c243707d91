import type { Context } from 'hono';
import { deleteCookie, setCookie } from 'hono/cookie';
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

/** So many values of a name are looked at: a browser has one of each domain and path that may set it. */
const mostValues = 5;

/** The ids of the sessions that a browser says it has. */
export function sessionIdsOf(context: Context): readonly string[] {
  return valuesOf(context, sessionCookie);
}

export function csrfCookiesOf(context: Context): readonly string[] {
  return valuesOf(context, csrfCookie);
}

/** Each value of a name once. Their order says nothing of where they are from (RFC 6265, section 4.2.2). */
function valuesOf(context: Context, name: string): readonly string[] {
  const values = (context.req.header('cookie') ?? '')
    .split(';')
    .map((pair) => pair.trim())
    .filter((pair) => pair.startsWith(`${name}=`))
    .map((pair) => pair.slice(name.length + 1));
  return [...new Set(values)].slice(0, mostValues);
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
  if (rules.domain !== null) deleteOwn(context, rules);
}

export function deleteSessionCookies(context: Context, rules: CookieRules): void {
  if (rules.domain !== null) deleteOwn(context, rules);
  deleteOwn(context, rules, rules.domain);
}

/** Without a domain: those of the host alone, which a browser may have from before there was a domain. */
function deleteOwn(context: Context, { isSecure }: CookieRules, domain: string | null = null): void {
  const given = attributes({ isSecure, domain });
  deleteCookie(context, sessionCookie, { ...given, httpOnly: true });
  deleteCookie(context, csrfCookie, given);
}

function attributes({ isSecure, domain }: Omit<CookieRules, 'maxAge'>) {
  return { path: '/', sameSite: 'Lax', secure: isSecure, ...(domain !== null && { domain }) } as const;
}
