import { ServiceError } from '../errors.ts';
import { everythingGranted, type Grants } from './grants.ts';
import type { Permission } from './permissions.ts';

/** Who is calling. Two issuers never share a subject: both fields together name a caller. */
export interface Principal {
  readonly issuer: string;
  readonly subject: string;
  readonly grants: Grants;
  /** Whether an unknown graph may be told from a forbidden one: only where nobody is asked who they are. */
  readonly mayProbe: boolean;
}

/** The caller while authentication is disabled. */
export const developmentPrincipal: Principal = {
  issuer: 'disabled',
  subject: 'development',
  grants: everythingGranted,
  mayProbe: true,
};

/** Who may do an operation. */
export interface AccessRule {
  readonly scope: /** Any caller who is known. */
    | 'known'
    /** One of the permissions, in at least one project. */
    | 'anywhere'
    /** The permission on the project concerned; in any project when the request concerns none. */
    | 'project'
    /** The permission on the project that every such request names or makes: it may be a new one. */
    | 'named project';
  readonly permissions: readonly Permission[];
}

export const known: AccessRule = { scope: 'known', permissions: [] };

export function anywhere(...permissions: Permission[]): AccessRule {
  return { scope: 'anywhere', permissions };
}

export function onProject(...permissions: Permission[]): AccessRule {
  return { scope: 'project', permissions };
}

export function onNamedProject(...permissions: Permission[]): AccessRule {
  return { scope: 'named project', permissions };
}

/**
 * The check that needs nothing of the request but its path: is there any project in which the caller may do
 * this? It runs before a body is read.
 * @throws ServiceError `forbidden`, `unavailable`.
 */
export async function authorize(
  { grants }: Principal,
  { scope, permissions }: AccessRule,
  operation: string,
): Promise<void> {
  if (scope === 'known' || (scope === 'named project' && grants.isOpenEnded)) return;
  for (const permission of permissions) if (await grants.anywhere(permission)) return;
  forbid(operation, permissions);
}

/**
 * The check once the request's project is known.
 * @param permission the one among the operation's permissions that this request calls for.
 * @throws ServiceError `forbidden`, `unavailable`.
 */
export async function authorizeProject(
  { grants }: Principal,
  permission: Permission,
  project: string,
): Promise<void> {
  if (!(await grants.on(project, permission))) forbid(`project ${project}`, [permission]);
}

/** The check for what makes a project. @throws ServiceError `forbidden`, `unavailable`. */
export async function authorizeNewProject({ grants }: Principal): Promise<void> {
  if (!(await grants.beyondProjects('create_projects'))) forbid('a new project', ['create_projects']);
}

function forbid(what: string, permissions: readonly Permission[]): never {
  throw new ServiceError('forbidden', `This needs the permission ${permissions.join(' or ')} (${what}).`);
}
