import type { BlockList } from 'node:net';
import type { Context, MiddlewareHandler } from 'hono';
import { cors } from 'hono/cors';
import type { Role } from '../../domain/control-plane/access.ts';
import { callerOf, type KnownCaller } from '../../domain/control-plane/known-caller.ts';
import { admittedUser, type LoginPorts } from '../../domain/control-plane/logins.ts';
import type { Sessions } from '../../domain/control-plane/sessions.ts';
import { assertAllowedEmail } from '../../domain/control-plane/users.ts';
import { ignoredProxies } from '../../platform/http/addresses.ts';
import type { AppEnv } from '../../platform/http/app-env.ts';
import { type SessionMode, sendsToken, signedIn } from '../../platform/sign-in/session-authentication.ts';
import {
  type BearerAttempts,
  bearerCaller,
  logFailedAttempt,
} from '../../platform/tokens/bearer-attempts.ts';
import { type Claims, personOf } from '../../platform/tokens/token-verifier.ts';

/** How tools authenticate. */
export interface BearerMode extends BearerAttempts {
  readonly means: 'oidc_bearer' | 'auth_service_bearer';
  /** Callers need a verified e-mail of one of these domains. Empty allows everybody. */
  readonly allowedEmailDomains: readonly string[];
  /** The role that the token suggests. */
  readonly roleHint: (claims: Claims) => Role;
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
    context.set('caller', () => (sendsToken(context) ? byToken(context, ports) : bySession(context, ports)));
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
  return await logged(context, ports, async () => {
    const { session, user } = await signedIn(context, ports.session, ports);
    const { issuer, subject } = session;
    return { ...callerOf({ issuer, subject, means: 'session' }, user), user, session };
  });
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
