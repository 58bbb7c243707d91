import { errors } from 'jose';
import { type Refusal, RefusedToken } from './refused-token.ts';

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
