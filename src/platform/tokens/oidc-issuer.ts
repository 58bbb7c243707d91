import { decodeJwt, errors, type JWTVerifyGetKey, jwtVerify } from 'jose';
import type { AuthorizationServer } from 'oauth4webapi';
import { IssuerKeys, type IssuerKeysOptions } from './issuer-keys.ts';
import { RefusedToken } from './refused-token.ts';
import { demandUse, type TokenUse } from './token-use.ts';
import { isName, type TokenVerifier, tokenHash, type VerifiedToken } from './token-verifier.ts';
import { VerdictCache } from './verdict-cache.ts';

/** Signatures with a key pair alone: a public key is no secret that anybody could sign with. */
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
/** A token is verified again after so long: its key may have been withdrawn. */
const keptMs = 30_000;

export interface ExpectedToken {
  /** The client id for ID tokens, the name of the service for access tokens. */
  readonly audience: string;
  readonly use: TokenUse;
}

/** An OpenID provider whose tokens are verified here, with the keys that it publishes. */
export class OidcIssuer {
  readonly issuer: string;
  readonly #keys: IssuerKeys;
  readonly #now: () => Date;

  constructor(options: IssuerKeysOptions) {
    this.issuer = options.issuer;
    this.#keys = new IssuerKeys(options);
    this.#now = options.now;
  }

  /** What it publishes about itself. @throws ServiceError `unavailable`. */
  async metadata(): Promise<AuthorizationServer> {
    return await this.#keys.metadata();
  }

  /**
   * Verifies a JWT: signature, issuer, audience, times, and that it was made for this use (RFC 7519, 9068; OpenID
   * Connect Core 1.0, section 3.1.3.7).
   * @throws RefusedToken; ServiceError `unavailable` when its key is unknown and the issuer does not answer.
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
    }).catch(refuse);
    demandUse(use, protectedHeader, payload, audience);
    const { sub, exp = 0 } = payload;
    if (!isName(sub)) throw new RefusedToken('bad_claims');
    return { issuer: this.issuer, subject: sub, claims: payload, expiresAt: exp * 1_000 };
  }

  /** The same for one kind of token, remembering for half a minute what was found out. */
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

  /** A token of another issuer never makes us ask this one. */
  #demandOwn(token: string): void {
    if (decodeJwt(token).iss !== this.issuer) throw new RefusedToken('wrong_issuer');
  }
}

/** What jose throws, as a reason. An outage stays what it is. */
function refuse(error: unknown): never {
  if (error instanceof errors.JWTExpired) throw new RefusedToken('expired', error);
  if (error instanceof errors.JWTClaimValidationFailed)
    throw new RefusedToken(claimReasons[error.claim] ?? 'bad_claims', error);
  if (error instanceof errors.JOSEAlgNotAllowed) throw new RefusedToken('wrong_algorithm', error);
  if (error instanceof errors.JWSSignatureVerificationFailed) throw new RefusedToken('bad_signature', error);
  if (error instanceof errors.JWKSNoMatchingKey || error instanceof errors.JWKSMultipleMatchingKeys)
    throw new RefusedToken('unknown_key', error);
  // What the runtime says of keys that are too short, off their curve, or no keys at all.
  const isOfKey = error instanceof TypeError || error instanceof DOMException;
  if (isOfKey || error instanceof errors.JWKSInvalid) throw new RefusedToken('unusable_key', error);
  if (error instanceof errors.JOSEError) throw new RefusedToken('malformed', error);
  throw error;
}

const claimReasons: Readonly<Record<string, 'wrong_issuer' | 'wrong_audience' | 'not_yet_valid'>> = {
  iss: 'wrong_issuer',
  aud: 'wrong_audience',
  nbf: 'not_yet_valid',
};
