import { ServiceError } from '../../domain/errors.ts';

/** Why a bearer was refused: stable words for the log. Its sender learns no more than RFC 6750 has words for. */
export type Refusal =
  | 'missing'
  | 'malformed'
  | 'too_long'
  | 'wrong_algorithm'
  | 'wrong_type'
  | 'unknown_key'
  /** The issuer publishes one of that name that nothing can be verified with. */
  | 'unusable_key'
  | 'bad_signature'
  | 'wrong_issuer'
  | 'wrong_audience'
  | 'expired'
  | 'not_yet_valid'
  | 'bad_claims'
  | 'rejected';

const invalid = 'The bearer token is not accepted. Get a new one for this service and send it again.';
const missing = 'This needs a bearer token: send "Authorization: Bearer <token>".';

/** Nobody is known to be calling: 401 with the challenge of RFC 6750, section 3. */
export class RefusedToken extends ServiceError {
  readonly reason: Refusal;

  constructor(reason: Refusal, cause?: unknown) {
    const challenge = reason === 'missing' ? 'Bearer' : 'Bearer error="invalid_token"';
    super('unauthorized', reason === 'missing' ? missing : invalid, {
      headers: { 'www-authenticate': challenge },
      cause,
    });
    this.name = 'RefusedToken';
    this.reason = reason;
  }
}
