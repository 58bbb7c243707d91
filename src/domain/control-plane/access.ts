import { ServiceError } from '../errors.ts';

export type Role = 'admin' | 'member';

/**
 * Why a caller has a role. `disabled`: authentication is disabled. `id_token`: bearers of ID tokens are members. `claim`:
 * the auth service says so. The others are those of the stored user.
 */
export type RoleSource = 'disabled' | 'id_token' | 'claim' | 'default' | 'bootstrap' | 'override';

/** How a caller was authenticated. */
export type Means = 'disabled' | 'session' | 'oidc_bearer' | 'auth_service_bearer';

/** The caller of an operation. Issuer and subject together identify a caller. */
export interface Caller {
  readonly issuer: string;
  /** Null while authentication is disabled. */
  readonly subject: string | null;
  readonly role: Role;
  readonly roleSource: RoleSource;
  readonly means: Means;
  /** The id of the stored user with this issuer and subject, if there is one. */
  readonly userId: string | null;
}

export const developmentCaller: Caller = {
  issuer: 'disabled',
  subject: null,
  role: 'admin',
  roleSource: 'disabled',
  means: 'disabled',
  userId: null,
};

/** Who may do an operation. `subject`: any caller who has one. `project`: see `projects/project-access.ts`. */
export type AccessRule = 'authenticated' | 'subject' | 'admin' | 'project';

/** @throws ServiceError `unauthorized` if a subject is needed and missing; `forbidden`. */
export function authorize(caller: Caller, rule: AccessRule, operation: string): void {
  if (rule === 'subject' && caller.subject === null)
    throw new ServiceError(
      'unauthorized',
      'This needs a caller with a subject, and authentication is disabled. Start the control plane with -auth-enabled=true.',
    );
  if (rule === 'admin' && caller.role !== 'admin')
    throw new ServiceError('forbidden', `This needs the role admin (${operation}).`);
}
