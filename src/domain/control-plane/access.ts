import { ServiceError } from '../errors.ts';

export type Role = 'admin' | 'member';

/** How a caller has proved who they are. */
export type Means = 'disabled' | 'session' | 'oidc_bearer' | 'auth_service_bearer';

/** Who is calling the control plane. Two issuers never share a subject: both fields together name a caller. */
export interface Caller {
  readonly issuer: string;
  /** null while authentication is disabled. */
  readonly subject: string | null;
  readonly role: Role;
  readonly means: Means;
  /** Of the stored user with this issuer and subject, if there is one. */
  readonly userId: string | null;
}

/** The caller while authentication is disabled. */
export const developmentCaller: Caller = {
  issuer: 'disabled',
  subject: null,
  role: 'admin',
  means: 'disabled',
  userId: null,
};

/** Who may do an operation: any known caller, one with a subject, an administrator. */
export type AccessRule = 'authenticated' | 'subject' | 'admin';

/**
 * Whether a request has to bring the CSRF token: one that changes something and whose caller is known by a cookie,
 * which a browser sends along whoever asks it to. A bearer token is never sent unasked.
 */
export function needsCsrf({ means }: Caller, method: string): boolean {
  return means === 'session' && method !== 'GET' && method !== 'HEAD';
}

/** @throws ServiceError `unauthorized` without a subject where one is needed; `forbidden`. */
export function authorize(caller: Caller, rule: AccessRule, operation: string): void {
  if (rule === 'subject' && caller.subject === null) refuseNobody();
  if (rule === 'admin' && caller.role !== 'admin') refuseMember(operation);
}

function refuseNobody(): never {
  throw new ServiceError(
    'unauthorized',
    'This needs a caller with a subject, and authentication is disabled. Start the control plane with -auth-enabled=true.',
  );
}

function refuseMember(operation: string): never {
  throw new ServiceError('forbidden', `This needs the role admin (${operation}).`);
}
