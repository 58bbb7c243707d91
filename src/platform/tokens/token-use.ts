import type { JWTHeaderParameters, JWTPayload } from 'jose';
import { RefusedToken } from './refused-token.ts';

/**
 * The purpose of a token. An ID token tells a client who has logged in. An access token is for a service; some issuers
 * write it like an ID token. A logout token is neither.
 */
export type TokenUse = 'id-token' | 'access-token';

const types: Readonly<Record<TokenUse, readonly string[]>> = {
  'id-token': ['jwt'],
  'access-token': ['jwt', 'at+jwt'],
};

/** Claims of access tokens (RFC 9068). Some issuers add them to ID tokens, too. */
const scopeClaims = ['scope', 'scp'];
/** Claims that only ID tokens have. */
const idTokenClaims = ['nonce', 'at_hash'];
/** Claims that ID tokens have, and access tokens of some issuers. */
const loginClaims = [...idTokenClaims, 'azp', 'auth_time'];

/** @throws RefusedToken unless a verified token has this purpose. */
export function assertUse(
  use: TokenUse,
  { typ }: JWTHeaderParameters,
  claims: JWTPayload,
  audience: string,
): void {
  if (!isOfType(typ, types[use]) || 'events' in claims) throw new RefusedToken('wrong_type');
  if (use === 'id-token') assertIdToken(claims, audience);
}

/** `typ` is a media type whose `application/` may be left out (RFC 7515, section 4.1.9). */
function isOfType(typ: unknown, accepted: readonly string[]): boolean {
  if (typ === undefined) return true;
  return typeof typ === 'string' && accepted.includes(typ.toLowerCase().replace(/^application\//, ''));
}

/** OpenID Connect Core 1.0, sections 2 and 3.1.3.7. Some issuers add the claims `typ` and `token_use`. */
function assertIdToken(claims: JWTPayload, clientId: string): void {
  const { iat, aud, azp, typ = 'ID', token_use = 'id' } = claims;
  const has = (name: string) => name in claims;
  const isForAccess = scopeClaims.some(has) && !idTokenClaims.some(has);
  const isOfClient = !has('client_id') || (claims.client_id === clientId && loginClaims.some(has));
  if (isForAccess || !isOfClient || typ !== 'ID' || token_use !== 'id') throw new RefusedToken('wrong_type');
  if (typeof iat !== 'number') throw new RefusedToken('bad_claims');
  const needsParty = Array.isArray(aud) && aud.length > 1;
  if ((needsParty || azp !== undefined) && azp !== clientId) throw new RefusedToken('wrong_audience');
}
