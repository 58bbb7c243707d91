import { type ErrorCode, ServiceError } from '../../domain/errors.ts';

/** Why a browser could not sign in, as the pages are told. */
export type SignInFault = 'cancelled' | 'expired' | 'refused' | 'unavailable' | 'failed';

const codes = {
  cancelled: 'forbidden',
  expired: 'invalid_request',
  refused: 'forbidden',
  unavailable: 'unavailable',
  failed: 'unauthorized',
} as const satisfies Record<SignInFault, ErrorCode>;

export const signInFaults = Object.keys(codes) as readonly SignInFault[];

const sentences: Readonly<Record<SignInFault, string>> = {
  cancelled: 'The sign-in was cancelled at the provider. Begin it again if that was a mistake.',
  expired: 'This sign-in is over, or was begun in another browser. Begin it again.',
  refused: 'This account may not sign in here. Ask an administrator.',
  unavailable: 'The provider does not answer now. Try again later.',
  failed: 'The provider did not confirm who you are. Begin the sign-in again.',
};

/**
 * A sign-in that came to nothing.
 * @param reason what a log may tell about it: never a token, a code or a secret.
 */
export class SignInFailure extends ServiceError {
  readonly fault: SignInFault;
  readonly reason: string;

  constructor(fault: SignInFault, reason: string, sentence = sentences[fault]) {
    super(codes[fault], sentence, fault === 'unavailable' ? { retryAfter: 5 } : {});
    this.name = 'SignInFailure';
    this.fault = fault;
    this.reason = reason;
  }
}
