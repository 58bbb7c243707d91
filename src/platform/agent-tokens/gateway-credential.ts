import { type GatewayScope, gatewayScopes, isGuarded } from '../../domain/control-plane/gateway-access.ts';
import { ServiceError } from '../../domain/errors.ts';
import { ownTypes } from '../tokens/own-tokens.ts';
import { type Claims, type TokenVerifier, tokenHash, type VerifiedToken } from '../tokens/token-verifier.ts';
import { VerdictCache } from '../tokens/verdict-cache.ts';
import { signToken, verifyToken } from './signed-token.ts';

const kind = {
  issuer: 'urn:cairn:gateway-credentials',
  audience: 'urn:cairn:gateway',
  typ: ownTypes.gateway,
} as const;

/** How long a verified credential is remembered. */
const keptMs = 30_000;

export interface NewGatewayCredential {
  /** The name of the gateway, for the audit log. */
  readonly name: string;
  readonly scopes: readonly GatewayScope[];
  readonly lifetimeMs: number;
  readonly now: Date;
}

/** The credential with which a gateway reports what agents do. */
export async function signGatewayCredential(
  secret: string,
  { name, scopes, lifetimeMs, now }: NewGatewayCredential,
): Promise<string> {
  const issuedAt = Math.floor(now.getTime() / 1_000);
  return await signToken(secret, kind, {
    claims: { scope: scopes.map(writtenScope).join(' ') },
    subject: name,
    jti: crypto.randomUUID(),
    issuedAt,
    expiresAt: issuedAt + Math.floor(lifetimeMs / 1_000),
  });
}

/** The scopes of a verified credential. */
export function scopesOf({ scope = '' }: Claims): ReadonlySet<GatewayScope> {
  const written = String(scope).split(' ');
  return new Set(gatewayScopes.filter((name) => written.includes(writtenScope(name))));
}

/** Credentials of earlier versions have the bare names of guarded scopes by default, so these names grant nothing. */
function writtenScope(name: GatewayScope): string {
  return isGuarded(name) ? `admin:${name}` : name;
}

/** Verifies gateway credentials, and remembers results for half a minute. */
export function gatewayVerifier(secret: string | null, now: () => Date): TokenVerifier {
  const cache = new VerdictCache<VerifiedToken>(now);
  return {
    known: (token) => cache.known(tokenHash(token)),
    verify: async (token) =>
      await cache.get(tokenHash(token), async () => {
        if (secret === null)
          throw new ServiceError(
            'unavailable',
            'This service accepts nothing from gateways, because it has no secret for their credentials. Set CAIRN_GATEWAY_SECRET.',
          );
        const claims = await verifyToken(token, secret, kind, now());
        const { sub = '', exp = 0 } = claims;
        const value = { issuer: kind.issuer, subject: sub, claims, expiresAt: exp * 1_000 };
        const until = Math.min(now().getTime() + keptMs, value.expiresAt);
        return { value, until, size: token.length };
      }),
  };
}
