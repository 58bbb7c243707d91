import type { BlockList } from 'node:net';
import type { Context, MiddlewareHandler } from 'hono';
import { cors } from 'hono/cors';
import { needsCsrf, type Role } from '../../domain/control-plane/access.ts';
import { callerOf, type KnownCaller } from '../../domain/control-plane/known-caller.ts';
import { admittedUser, type LoginPorts } from '../../domain/control-plane/logins.ts';
import {
  isCsrfToken,
  ongoingSession,
  type SessionLimits,
  type Sessions,
  sessionUsed,
} from '../../domain/control-plane/sessions.ts';
import { assertAllowedEmail } from '../../domain/control-plane/users.ts';
import { type ErrorCode, ServiceError } from '../../domain/errors.ts';
import { ignoredProxies } from '../../platform/http/addresses.ts';
import type { AppEnv } from '../../platform/http/app-env.ts';
import {
  type BearerAttempts,
  bearerCaller,
  logFailedAttempt,
} from '../../platform/tokens/bearer-attempts.ts';
import { type Claims, personOf } from '../../platform/tokens/token-verifier.ts';
import { csrfCookiesOf, sessionIdsOf } from './session-cookies.ts';

/** How tools authenticate. */
export interface BearerMode extends BearerAttempts {
  readonly means: 'oidc_bearer' | 'auth_service_bearer';
  /** Callers need a verified e-mail of one of these domains. Empty allows everybody. */
  readonly allowedEmailDomains: readonly string[];
  /** The role that the token suggests. */
  readonly roleHint: (claims: Claims) => Role;
}

/** How browsers authenticate. */
interface SessionMode {
  /** The current provider. Sessions of a former provider are refused. */
  readonly issuer: string;
  readonly limits: SessionLimits;
  /** Origins of the pages that may change something with a session. */
  readonly origins: ReadonlySet<string>;
}

interface Authentication extends LoginPorts {
  readonly bearer: BearerMode;
  /** null if nobody signs in by browser. */
  readonly session: SessionMode | null;
  readonly sessions: Sessions;
  readonly trustedProxies: BlockList | null;
}

type CallerContext = Context<AppEnv<KnownCaller>>;

/**
 * Authenticates callers by bearer token or browser session. If a request has a token, only the token counts, whatever
 * its cookies say. Public operations do not authenticate.
 */
export function controlPlaneAuthentication(ports: Authentication): MiddlewareHandler<AppEnv<KnownCaller>> {
  const warn = ignoredProxies(ports.trustedProxies);
  return async (context, next) => {
    warn(context, context.get('log'));
    const sendsToken = /^\s*bearer\b/i.test(context.req.header('authorization') ?? '');
    context.set('caller', () => (sendsToken ? byToken(context, ports) : bySession(context, ports)));
    await next();
  };
}

async function byToken(context: CallerContext, ports: Authentication): Promise<KnownCaller> {
  const { bearer } = ports;
  const { issuer, subject, claims } = await bearerCaller(context, bearer);
  return await logged(context, ports, async () => {
    const person = personOf(claims);
    assertAllowedEmail(person, bearer.allowedEmailDomains);
    const roleHint = bearer.roleHint(claims);
    const isAdminByClaim = bearer.means === 'auth_service_bearer' ? roleHint === 'admin' : undefined;
    const user = await admittedUser(ports, { issuer, subject, ...person }, { isAdminByClaim });
    const proven = { issuer, subject, means: bearer.means, roleHint };
    return { ...callerOf(proven, user), user, session: null };
  });
}

async function bySession(context: CallerContext, ports: Authentication): Promise<KnownCaller> {
  const { session: mode, sessions, users, now } = ports;
  return await logged(context, ports, async () => {
    const ids = sessionIdsOf(context);
    if (mode === null || ids.length === 0) throw new RefusedSession('no_credentials');
    const found = await Promise.all(
      ids.map(async (id) => ({ id, session: await ongoingSession({ sessions, now }, id, mode.limits) })),
    );
    const [first, ...others] = found.filter(({ session }) => session?.issuer === mode.issuer);
    if (!first?.session) throw new RefusedSession('session_over');
    // Another site of a shared domain can plant a session of its own.
    if (others.length > 0) throw new RefusedSession('several_sessions');
    const { id, session } = first;
    const { issuer, subject, userId } = session;
    const user = await users.get(userId);
    const caller = callerOf({ issuer, subject, means: 'session' }, user);
    if (needsCsrf(caller, context.req.method)) assertOwnPage(context, id, mode.origins);
    await sessionUsed({ sessions, now }, session, mode.limits);
    return { ...caller, user: user ?? null, session };
  });
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

async function logged(
  context: CallerContext,
  { trustedProxies }: Authentication,
  identify: () => Promise<KnownCaller>,
): Promise<KnownCaller> {
  try {
    return await identify();
  } catch (error) {
    logFailedAttempt(context, trustedProxies, error);
    throw error;
  }
}

/** Why a request by session was refused, by a stable word for the log. */
const refusals = {
  no_credentials: ['unauthorized', 'The caller is unknown. Sign in, or send a bearer token.'],
  session_over: ['unauthorized', 'The session has ended. Sign in again.'],
  several_sessions: ['unauthorized', 'The browser sent several sessions. Sign in again.'],
  foreign_origin: ['forbidden', 'Pages of other sites cannot use this session to change something.'],
  wrong_csrf_token: [
    'forbidden',
    'The CSRF token is missing or wrong. Send the value of the cookie svc_csrf as the header X-CSRF-Token.',
  ],
} as const satisfies Record<string, readonly [ErrorCode, string]>;

class RefusedSession extends ServiceError {
  readonly reason: keyof typeof refusals;

  constructor(reason: keyof typeof refusals) {
    const [code, sentence] = refusals[reason];
    super(code, sentence);
    this.name = 'RefusedSession';
    this.reason = reason;
  }
}

/** Lets pages of a user interface on another origin call the API with the session of their user. */
export function foreignUi(origin: string): MiddlewareHandler {
  return cors({
    origin,
    credentials: true,
    allowMethods: ['GET', 'POST', 'PATCH', 'DELETE'],
    allowHeaders: ['Content-Type', 'X-CSRF-Token'],
    exposeHeaders: ['Retry-After', 'X-Request-Id'],
    maxAge: 600,
  });
}
