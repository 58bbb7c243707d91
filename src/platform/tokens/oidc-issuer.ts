import { decodeJwt, type JWTHeaderParameters, type JWTPayload, type JWTVerifyGetKey, jwtVerify } from 'jose';
import type { AuthorizationServer } from 'oauth4webapi';
import { IssuerKeys, type IssuerKeysOptions } from './issuer-keys.ts';
import { RefusedToken, throwAsJose } from './refused-token.ts';
import { isName, type TokenVerifier, tokenHash, type VerifiedToken } from './token-verifier.ts';
import { VerdictCache } from './verdict-cache.ts';

/** Asymmetric signatures only. Otherwise a public key could be used as an HMAC secret. */
const algorithms = [
  'RS256',
  'RS384',
  'RS512',
  'PS256',
  'PS384',
  'PS512',
  'ES256',
  'ES384',
  'ES512',
  'EdDSA',
  'Ed25519',
];
const clockToleranceSeconds = 5;
/** How long a verified token is remembered. Its key may be withdrawn meanwhile. */
const keptMs = 30_000;

export interface ExpectedToken {
  /** The client id for ID tokens; the name of the service for access tokens. */
  readonly audience: string;
  readonly use: TokenUse;
}

/** Verifies the tokens of an OpenID provider with its published keys. */
export class OidcIssuer {
  readonly issuer: string;
  readonly #keys: IssuerKeys;
  readonly #now: () => Date;

  constructor(options: IssuerKeysOptions) {
    this.issuer = options.issuer;
    this.#keys = new IssuerKeys(options);
    this.#now = options.now;
  }

  /** The metadata of the issuer. @throws ServiceError `unavailable`. */
  async metadata(): Promise<AuthorizationServer> {
    return await this.#keys.metadata();
  }

  /**
   * Verifies the signature, issuer, audience, times and purpose of a JWT (RFC 7519, RFC 9068; OpenID Connect Core 1.0,
   * section 3.1.3.7).
   * @throws RefusedToken; ServiceError `unavailable` if its key is unknown and the issuer does not answer.
   */
  async verify(token: string, { audience, use }: ExpectedToken): Promise<VerifiedToken> {
    const key: JWTVerifyGetKey = async (header, jws) => {
      this.#demandOwn(token);
      return await this.#keys.key(header, jws);
    };
    const { payload, protectedHeader } = await jwtVerify(token, key, {
      algorithms,
      issuer: this.issuer,
      audience,
      requiredClaims: ['exp'],
      clockTolerance: clockToleranceSeconds,
      currentDate: this.#now(),
    }).catch(throwAsJose);
    assertUse(use, protectedHeader, payload, audience);
    const { sub, exp = 0 } = payload;
    if (!isName(sub)) throw new RefusedToken('bad_claims');
    return { issuer: this.issuer, subject: sub, claims: payload, expiresAt: exp * 1_000 };
  }

  /** A verifier for one kind of token. It remembers results for half a minute. */
  verifier(expected: ExpectedToken): TokenVerifier {
    const cache = new VerdictCache<VerifiedToken>(this.#now);
    return {
      known: (token) => cache.known(tokenHash(token)),
      verify: async (token) =>
        await cache.get(tokenHash(token), async () => {
          const value = await this.verify(token, expected);
          const expiry = (value.expiresAt ?? 0) + clockToleranceSeconds * 1_000;
          const until = Math.min(this.#now().getTime() + keptMs, expiry);
          return { value, until, size: token.length };
        }),
    };
  }

  /** A token of another issuer must not cause a request to this one. */
  #demandOwn(token: string): void {
    if (decodeJwt(token).iss !== this.issuer) throw new RefusedToken('wrong_issuer');
  }
}

/**
 * The purpose of a token. An ID token tells a client who has logged in. An access token is for a service; some issuers
 * write it like an ID token. A logout token is neither.
 */
type TokenUse = 'id-token' | 'access-token';

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
function assertUse(use: TokenUse, { typ }: JWTHeaderParameters, claims: JWTPayload, audience: string): void {
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
