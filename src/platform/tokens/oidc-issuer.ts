import { decodeJwt, type JWTVerifyGetKey, jwtVerify } from 'jose';
import type { AuthorizationServer } from 'oauth4webapi';
import { IssuerKeys, type IssuerKeysOptions } from './issuer-keys.ts';
import { throwAsJose } from './jose-refusals.ts';
import { RefusedToken } from './refused-token.ts';
import { assertUse, type TokenUse } from './token-use.ts';
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
