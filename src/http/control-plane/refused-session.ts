import { type ErrorCode, ServiceError } from '../../domain/errors.ts';

/** Why a browser was refused: stable words for the log. */
export type SessionRefusal =
  | 'no_credentials'
  | 'session_over'
  | 'several_sessions'
  | 'foreign_origin'
  | 'wrong_csrf_token';

const answers: Readonly<Record<SessionRefusal, readonly [ErrorCode, string]>> = {
  no_credentials: ['unauthorized', 'This needs a caller who is known. Sign in, or send a bearer token.'],
  session_over: ['unauthorized', 'The session is over. Sign in again.'],
  several_sessions: ['unauthorized', 'The browser has several sessions here at once. Sign in again.'],
  foreign_origin: ['forbidden', 'A page of another site may change nothing by this session.'],
  wrong_csrf_token: [
    'forbidden',
    'The CSRF token is missing or wrong. Send the value of the cookie svc_csrf as the header X-CSRF-Token.',
  ],
};

/** A request by a session that does not count. */
export class RefusedSession extends ServiceError {
  readonly reason: SessionRefusal;

  constructor(reason: SessionRefusal) {
    super(...answers[reason]);
    this.name = 'RefusedSession';
    this.reason = reason;
  }
}
