import { type ErrorCode, ServiceError } from '../../domain/errors.ts';

/** Why a browser could not sign in, as the pages show it. */
export type SignInProblem = 'cancelled' | 'expired' | 'refused' | 'unavailable' | 'failed';

const codes = {
  cancelled: 'forbidden',
  expired: 'invalid_request',
  refused: 'forbidden',
  unavailable: 'unavailable',
  failed: 'unauthorized',
} as const satisfies Record<SignInProblem, ErrorCode>;

export const signInProblems = Object.keys(codes) as readonly SignInProblem[];

export const signInSentences: Readonly<Record<SignInProblem, string>> = {
  cancelled: 'The sign-in was cancelled at the provider. Sign in again if that was a mistake.',
  expired: 'This sign-in has expired or was started in another browser. Sign in again.',
  refused: 'This account may not sign in here. Ask an administrator.',
  unavailable: 'The provider does not answer. Try again later.',
  failed: 'The provider did not confirm who you are. Sign in again.',
};

/**
 * A failed sign-in.
 * @param reason for the log. It must not contain a token, a code or a secret.
 */
export class SignInFailure extends ServiceError {
  readonly problem: SignInProblem;
  readonly reason: string;

  constructor(problem: SignInProblem, reason: string, sentence = signInSentences[problem]) {
    super(codes[problem], sentence, problem === 'unavailable' ? { retryAfter: 5 } : {});
    this.name = 'SignInFailure';
    this.problem = problem;
    this.reason = reason;
  }
}
