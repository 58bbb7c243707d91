import { ServiceError } from '../errors.ts';
import { everythingGranted, type Grants, type Permission } from './grants.ts';

/** An authenticated caller, identified by issuer and subject together. */
export interface Principal {
  readonly issuer: string;
  readonly subject: string;
  readonly grants: Grants;
  /** Whether the caller may learn that a graph does not exist. Only without authentication. */
  readonly mayProbe: boolean;
  /** How the caller was authenticated, if not in the usual way of the service. */
  readonly means?: 'session';
}

export interface CallerName {
  readonly issuer: string;
  readonly subject: string | null;
}

/** Issuer and subject as one text. */
export function callerKey({ issuer, subject }: CallerName): string {
  return JSON.stringify([issuer, subject]);
}

export const developmentPrincipal: Principal = {
  issuer: 'disabled',
  subject: 'development',
  grants: everythingGranted,
  mayProbe: true,
};

export interface AccessRule {
  readonly scope: /** Any authenticated caller. */
    | 'known'
    /** One of the permissions, in at least one project. */
    | 'anywhere'
    /** The permission on the project of the request, or in any project if the request has none. See `authorizeProject`. */
    | 'project'
    /** The permission on the project that the request names or creates. */
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
 * The check before the body is read: may the caller do this in any project? Callers with open-ended grants are checked
 * once the project is known, because searching all of their projects is expensive.
 * @throws ServiceError `forbidden`, `unavailable`.
 */
export async function authorize(
  { grants }: Principal,
  { scope, permissions }: AccessRule,
  operation: string,
): Promise<void> {
  const isLate = scope === 'project' || scope === 'named project';
  if (scope === 'known' || (isLate && grants.isOpenEnded)) return;
  if (!(await grants.anywhere(...permissions))) forbid(operation, permissions);
}

/**
 * The check once the project of the request is known.
 * @param permission the permission of the operation that this request needs.
 * @param project null for a request without a project.
 * @throws ServiceError `forbidden`, `unavailable`.
 */
export async function authorizeProject(
  { grants }: Principal,
  permission: Permission,
  project: string | null,
): Promise<void> {
  const isAllowed = project === null ? grants.anywhere(permission) : grants.on(project, permission);
  if (!(await isAllowed)) forbid(project === null ? 'any project' : `project ${project}`, [permission]);
}

/** The check before a project is created. @throws ServiceError `forbidden`, `unavailable`. */
export async function authorizeNewProject({ grants }: Principal): Promise<void> {
  if (!(await grants.beyondProjects('create_projects'))) forbid('a new project', ['create_projects']);
}

/**
 * The check for content that belongs to an organisation instead of a project.
 * @param organization null for any organisation of the caller.
 * @throws ServiceError `forbidden`, `unavailable`.
 */
export async function authorizeOrganization(
  { grants }: Principal,
  permission: Permission,
  organization: string | null,
): Promise<void> {
  const isAllowed =
    organization === null
      ? grants.beyondProjects(permission)
      : grants.inOrganization(organization, permission);
  const what = organization === null ? 'any organization' : `organization ${organization}`;
  if (!(await isAllowed)) forbid(what, [permission]);
}

function forbid(what: string, permissions: readonly Permission[]): never {
  throw new ServiceError('forbidden', `This needs the permission ${permissions.join(' or ')} (${what}).`);
}
