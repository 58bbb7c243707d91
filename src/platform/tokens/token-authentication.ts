import type { Context, MiddlewareHandler } from 'hono';
import type { Principal } from '../../domain/access/access.ts';
import {
  type Authority,
  askedGrants,
  type Resource,
  withAdministration,
} from '../../domain/access/asked-grants.ts';
import { type ClaimedGrants, claimedGrants } from '../../domain/access/claimed-grants.ts';
import { fixedGrants, type Grants } from '../../domain/access/grants.ts';
import type { Permission } from '../../domain/access/permissions.ts';
import type { AppEnv } from '../http/app-env.ts';
import { type Bearer, type BearerAttempts, bearerCaller } from './bearer-attempts.ts';
import type { Claims } from './token-verifier.ts';

export interface TokenAuthentication extends BearerAttempts {
  /** What the names of the claims begin with that grant something; null: no claim grants anything. */
  readonly claimNamespace: string | null;
  /** Who is asked where claims say nothing; null: then nothing is granted. */
  readonly authority: BearerAuthority | null;
}

export interface BearerAuthority {
  authorize(token: string, permission: Permission, resource: Resource): Promise<boolean>;
  /** Ids of the projects of this service. */
  projects(): Promise<readonly string[]>;
}

/** The modes with authentication: whoever calls is the bearer of a token. Public operations never ask. */
export function tokenAuthentication(options: TokenAuthentication): MiddlewareHandler<AppEnv> {
  const read = claimReader(options.claimNamespace);
  return async (context, next) => {
    context.set('caller', async () => {
      const bearer = await bearerCaller(context, options);
      return principalOf(bearer, read(bearer.claims, context), options);
    });
    await next();
  };
}

function principalOf(
  { issuer, subject, token }: Bearer,
  claimed: ClaimedGrants,
  { authority }: TokenAuthentication,
): Principal {
  const granted =
    claimed.grants ?? (authority ? askedGrants(asBearer(authority, token), claimed.organizations) : nothing);
  return {
    issuer,
    subject,
    grants: claimed.isAdmin ? withAdministration(granted) : granted,
    mayProbe: false,
  };
}

function asBearer({ authorize, projects }: BearerAuthority, token: string): Authority {
  return { allows: (permission, resource) => authorize(token, permission, resource), projects };
}

const nothing: Grants = fixedGrants(new Map());

/** The same claims come with each request of a token that is remembered: they are read once. */
function claimReader(namespace: string | null) {
  const done = new WeakMap<Claims, ClaimedGrants>();
  return (claims: Claims, context: Context<AppEnv>) => {
    const known = done.get(claims);
    if (known) return known;
    const read = claimedGrants(namespace === null ? {} : claims, namespace ?? '');
    for (const problem of read.problems) context.get('log').warn(problem);
    done.set(claims, read);
    return read;
  };
}
