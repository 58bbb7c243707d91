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
