import type { BlockList } from 'node:net';
import type { Context, MiddlewareHandler } from 'hono';
import { needsCsrf, type Role } from '../../domain/control-plane/access.ts';
import { callerOf, type KnownCaller } from '../../domain/control-plane/known-caller.ts';
import {
  ongoingSession,
  type Session,
  type SessionLimits,
  type Sessions,
  sessionUsed,
} from '../../domain/control-plane/sessions.ts';
import { type Users, userBySubject } from '../../domain/control-plane/users.ts';
import type { AppEnv } from '../../platform/http/app-env.ts';
import {
  type BearerAttempts,
  bearerCaller,
  logFailedAttempt,
} from '../../platform/tokens/bearer-attempts.ts';
import type { Claims } from '../../platform/tokens/token-verifier.ts';
import { demandOwnPage } from './own-page.ts';
import { RefusedSession } from './refused-session.ts';
import { sessionIdsOf } from './session-cookies.ts';

/** How tools prove who they are. */
export interface BearerMode extends BearerAttempts {
  readonly means: 'oidc_bearer' | 'auth_service_bearer';
  /** What their token says of their role. */
  readonly roleHint: (claims: Claims) => Role;
}

/** How browsers do. */
export interface SessionMode {
  /** Where people sign in: a session from elsewhere counts no more. */
  readonly issuer: string;
  readonly limits: SessionLimits;
  /** Of the pages that may change something by a session. */
  readonly origins: ReadonlySet<string>;
}

export interface Authentication {
  readonly bearer: BearerMode;
  /** null where nobody signs in by browser. */
  readonly session: SessionMode | null;
  readonly users: Users;
  readonly sessions: Sessions;
  readonly trustedProxies: BlockList | null;
  readonly now: () => Date;
}

type CallerContext = Context<AppEnv<KnownCaller>>;

/**
 * Callers prove who they are by a bearer token or a browser session. Whoever sends a token is judged by it alone,
 * whatever cookies come with it. Public operations never ask.
 */
export function controlPlaneAuthentication(ports: Authentication): MiddlewareHandler<AppEnv<KnownCaller>> {
  return async (context, next) => {
    const sendsToken = /^\s*bearer\b/i.test(context.req.header('authorization') ?? '');
    context.set('caller', () => (sendsToken ? byToken(context, ports) : bySession(context, ports)));
    await next();
  };
}

async function byToken(context: CallerContext, ports: Authentication): Promise<KnownCaller> {
  const { bearer, users } = ports;
  const { issuer, subject, claims } = await bearerCaller(context, bearer);
  return await logged(context, ports, async () => {
    const user = await userBySubject(users, issuer, subject);
    const proven = { issuer, subject, means: bearer.means, roleHint: bearer.roleHint(claims) };
    return { ...callerOf(proven, user), user: user ?? null, session: null };
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
    const [{ id, session } = refuseOver(), ...others] = found.filter(isGoingOn(mode));
    // Another site of a domain that is shared can plant a session of its own.
    if (others.length > 0) throw new RefusedSession('several_sessions');
    const { issuer, subject, userId } = session;
    const user = await users.get(userId);
    const caller = callerOf({ issuer, subject, means: 'session' }, user);
    if (needsCsrf(caller, context.req.method)) demandOwnPage(context, id, mode.origins);
    await sessionUsed({ sessions, now }, session, mode.limits);
    return { ...caller, user: user ?? null, session };
  });
}

interface Found {
  readonly id: string;
  readonly session: Session | undefined;
}

function isGoingOn({ issuer }: SessionMode) {
  return (found: Found): found is Found & { readonly session: Session } => found.session?.issuer === issuer;
}

function refuseOver(): never {
  throw new RefusedSession('session_over');
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
