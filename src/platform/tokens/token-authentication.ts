import type { Context, MiddlewareHandler } from 'hono';
import { callerKey } from '../../domain/access/access.ts';
import {
  type Authority,
  askedGrants,
  type Resource,
  withAdministration,
} from '../../domain/access/asked-grants.ts';
import {
  type ClaimedGrants,
  claimedGrants,
  fixedGrants,
  type Grants,
  type Permission,
} from '../../domain/access/grants.ts';
import { ignoredProxies } from '../http/addresses.ts';
import type { AppEnv } from '../http/app-env.ts';
import { sendsToken } from '../sign-in/session-authentication.ts';
import { type Bearer, type BearerAttempts, bearerCaller, logFailedAttempt } from './bearer-attempts.ts';
import type { CallerMemory } from './caller-memory.ts';
import { type Claims, tokenHash, type VerifiedToken } from './token-verifier.ts';

export interface TokenAuthentication extends BearerAttempts {
  /** Refuses callers who are disabled, although their token is valid. @throws ServiceError `forbidden`. */
  readonly admit: (caller: VerifiedToken) => Promise<unknown>;
  /** Prefix of the claims that grant permissions; null: no claim grants anything. */
  readonly claimNamespace: string | null;
  /** Identifies callers who send no token by their session; null if nobody signs in by browser. */
  readonly bySession: ((context: Context<AppEnv>) => Promise<Bearer>) | null;
  /** Is asked about what the claims leave open; null: then nothing is granted. */
  readonly authority: BearerAuthority | null;
}

export interface BearerAuthority {
  readonly memory: CallerMemory;
  authorize(token: string, permission: Permission, resource: Resource, isFresh?: boolean): Promise<boolean>;
}

/**
 * The modes with authentication: the caller is the bearer of a token, or the user of a session, which holds a token. From
 * the token on both are treated alike. If a request has a token, only the token counts. Public operations do not ask for
 * the caller.
 */
export function tokenAuthentication(options: TokenAuthentication): MiddlewareHandler<AppEnv> {
  const { authority, bySession, trustedProxies } = options;
  const logged = (context: Context<AppEnv>) => (error: unknown) => {
    logFailedAttempt(context, trustedProxies, error);
    throw error;
  };
  const read = claimReader(options.claimNamespace);
  const warn = ignoredProxies(trustedProxies);
  return async (context, next) => {
    warn(context, context.get('log'));
    const isSession = bySession !== null && !sendsToken(context);
    let isAsked = false;
    context.set('caller', async () => {
      isAsked = true;
      const bearer = isSession
        ? await bySession(context).catch(logged(context))
        : await bearerCaller(context, options);
      await options.admit(bearer).catch(logged(context));
      const { issuer, subject, claims } = bearer;
      const { grants, isAdmin, organizations } = read(claims, context);
      const granted =
        grants ?? (authority ? askedGrants(asBearer(authority, bearer), organizations) : nothing);
      const granting = { grants: isAdmin ? withAdministration(granted) : granted, mayProbe: false };
      return { issuer, subject, ...granting, ...(isSession && { means: 'session' }) };
    });
    await next();
    // Another user of the same browser must not find it in the cache.
    if (isSession && isAsked) context.res.headers.set('cache-control', 'no-store');
  };
}

function asBearer({ authorize, memory }: BearerAuthority, { issuer, subject, token }: Bearer): Authority {
  return {
    allows: (permission, resource, isFresh) => authorize(token, permission, resource, isFresh),
    recent: () => memory.recent(callerKey({ issuer, subject })),
    remember: (project) => memory.remember(callerKey({ issuer, subject }), project),
    // Tokens of one caller may have different permissions.
    search: (permission) => memory.search(JSON.stringify([permission, tokenHash(token)])),
  };
}

const nothing: Grants = fixedGrants(new Map());

/** Reads the claims of a remembered token once. */
function claimReader(namespace: string | null) {
  const known = new WeakMap<Claims, ClaimedGrants>();
  return (claims: Claims, context: Context<AppEnv>) => {
    const read = known.get(claims) ?? claimedGrants(namespace === null ? {} : claims, namespace ?? '');
    if (!known.has(claims)) for (const problem of read.problems) context.get('log').warn(problem);
    known.set(claims, read);
    return read;
  };
}
