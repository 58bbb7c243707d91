import { type ErrorCode, ServiceError } from '../errors.ts';

/** Why a request by session was refused, by a stable word for the log. */
const refusals = {
  no_credentials: ['unauthorized', 'The caller is unknown. Sign in, or send a bearer token.'],
  session_over: ['unauthorized', 'The session has ended. Sign in again.'],
  grant_ended: ['unauthorized', 'The provider has ended this sign-in. Sign in again.'],
  several_sessions: ['unauthorized', 'The browser sent several sessions. Sign in again.'],
  foreign_origin: ['forbidden', 'Pages of other sites cannot use this session to change something.'],
  wrong_csrf_token: [
    'forbidden',
    'The CSRF token is missing or wrong. Send the value of the cookie svc_csrf as the header X-CSRF-Token.',
  ],
} as const satisfies Record<string, readonly [ErrorCode, string]>;

export class RefusedSession extends ServiceError {
  readonly reason: keyof typeof refusals;

  constructor(reason: keyof typeof refusals) {
    const [code, sentence] = refusals[reason];
    super(code, sentence);
    this.name = 'RefusedSession';
    this.reason = reason;
  }
}
