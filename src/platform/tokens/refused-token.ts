import { errors } from 'jose';
import { ServiceError } from '../../domain/errors.ts';

/** Why a bearer was refused, for the log. Callers with a token of another issuer learn only the codes of RFC 6750. */
export type Refusal =
  | 'missing'
  | 'malformed'
  | 'too_long'
  | 'wrong_algorithm'
  | 'wrong_type'
  | 'unknown_key'
  /** The issuer publishes a key with that id, but it cannot verify anything. */
  | 'unusable_key'
  | 'bad_signature'
  | 'wrong_issuer'
  | 'wrong_audience'
  | 'expired'
  | 'not_yet_valid'
  | 'bad_claims'
  | 'rejected';

const invalid = 'The bearer token is not accepted. Get a new one for this service and send it again.';
const missing = 'This needs a bearer token. Send "Authorization: Bearer <token>".';

/** The caller is not authenticated: 401 with the challenge of RFC 6750, section 3. */
export class RefusedToken extends ServiceError {
  readonly reason: Refusal;

  /** @param sentence tells the caller more than usual. */
  constructor(reason: Refusal, cause?: unknown, sentence = reason === 'missing' ? missing : invalid) {
    const challenge = reason === 'missing' ? 'Bearer' : 'Bearer error="invalid_token"';
    super('unauthorized', sentence, {
      headers: { 'www-authenticate': challenge },
      cause,
    });
    this.name = 'RefusedToken';
    this.reason = reason;
  }
}

/** Translates errors of jose to reasons. Outages are passed on. */
export function throwAsJose(error: unknown): never {
  if (error instanceof errors.JWTExpired) throw new RefusedToken('expired', error);
  if (error instanceof errors.JWTClaimValidationFailed)
    throw new RefusedToken(claimReasons[error.claim] ?? 'bad_claims', error);
  if (error instanceof errors.JOSEAlgNotAllowed) throw new RefusedToken('wrong_algorithm', error);
  if (error instanceof errors.JWSSignatureVerificationFailed) throw new RefusedToken('bad_signature', error);
  if (error instanceof errors.JWKSNoMatchingKey || error instanceof errors.JWKSMultipleMatchingKeys)
    throw new RefusedToken('unknown_key', error);
  // The runtime's errors for keys that are too short, not on their curve, or not keys.
  const isOfKey = error instanceof TypeError || error instanceof DOMException;
  if (isOfKey || error instanceof errors.JWKSInvalid) throw new RefusedToken('unusable_key', error);
  if (error instanceof errors.JOSEError) throw new RefusedToken('malformed', error);
  throw error;
}

const claimReasons: Readonly<Record<string, Refusal>> = {
  iss: 'wrong_issuer',
  aud: 'wrong_audience',
  nbf: 'not_yet_valid',
  typ: 'wrong_type',
};
