import { ServiceError } from '../errors.ts';
import { everythingGranted, fixedGrants, type Grants } from './grants.ts';
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

/** Whoever calls a public operation: nobody asked who they are. */
export const nobody: Principal = {
  issuer: 'nobody',
  subject: 'nobody',
  grants: fixedGrants(new Map()),
  mayProbe: false,
};

/** Where an operation's permission is needed. */
type Rule =
  /** Probes and descriptions: nobody is asked who they are. */
  | { readonly scope: 'public' }
  /** Any caller who is known. */
  | { readonly scope: 'known' }
  /** One of the permissions, in at least one project. */
  | { readonly scope: 'anywhere'; readonly permissions: readonly Permission[] }
  /** The permission on the project concerned; in any project when the request concerns none. */
  | { readonly scope: 'project'; readonly permissions: readonly Permission[] }
  /** The permission on the project that every such request names or makes: it may be a new one. */
  | { readonly scope: 'named project'; readonly permissions: readonly Permission[] };

const anywhere = (...permissions: Permission[]): Rule => ({ scope: 'anywhere', permissions });
const onProject = (...permissions: Permission[]): Rule => ({ scope: 'project', permissions });
const onNamedProject = (...permissions: Permission[]): Rule => ({ scope: 'named project', permissions });
const known: Rule = { scope: 'known' };
const open: Rule = { scope: 'public' };

/** Who may do what: one row for each operation. A route without a row does not compile. */
export const operations = {
  'PUT /statements/v1': onProject('create_declarations'),
  'PUT /statements/v1/batch': onProject('create_declarations'),
  'PUT /statements/v1/create/did/{did_key}': onProject('create_declarations'),
  'GET /statements/v1': known,
  'GET /statements/v1/id/{id}': anywhere('view_project_data'),
  'PUT /store/v1/blob': anywhere('create_declarations', 'create_comments'),
  'PUT /store/v1/blob/batch': anywhere('create_declarations', 'create_comments'),
  'PUT /store/v1/jcs': anywhere('create_declarations', 'create_comments'),
  'GET /store/v1/blob/{cid}': anywhere('view_project_data'),
  'GET /store/v1/exists/{cid}': anywhere('view_project_data'),
  'GET /store/v1/text/{cid}': anywhere('view_project_data'),
  'GET /store/v1/iroh-collection/{cid}': anywhere('view_project_data'),
  'POST /utils/v1/integrity/statement/compute-id': known,
  'POST /utils/v1/json-ld/rdfc_cid': known,
  'POST /utils/v1/json-ld/to-nquads': known,
  'GET /utils/v1/json-ld/static-contexts': known,
  'GET /manifest/v1': onProject('view_project_data'),
  'GET /manifest/v1/exports/{id}': onProject('view_project_data'),
  'GET /manifest/v1/exports/{id}/result': onProject('view_project_data'),
  'DELETE /manifest/v1/exports/{id}': known,
  'POST /manifest/v1': onNamedProject('create_projects', 'create_declarations'),
  'PUT /graph/v1': onNamedProject('create_projects', 'create_declarations'),
  'GET /graph/v1': known,
  'GET /graph/v1/{uuid}': known,
  'GET /cid/v1/find/{cid}': known,
  'GET /lineage/v1/{id}': known,
  'GET /dynamic-config/v1': known,
  'PUT /dynamic-config/v1': anywhere('manage_configuration'),
  'GET /health/v1': open,
  'GET /ready': open,
  'GET /openapi.json': open,
  'GET /docs': open,
  'GET /': open,
  'GET /ui': open,
  'GET /ui/lineage': open,
  'GET /ui/lineage/{id}': open,
  'GET /ui/files/{name}': open,
} as const satisfies Record<string, Rule>;

export type Operation = keyof typeof operations;

/** Whether nobody is asked who they are. */
export function isPublic(operation: Operation): boolean {
  return operations[operation].scope === 'public';
}

/**
 * The check that needs nothing of the request but its path: is there any project in which the caller may do
 * this? It runs before a body is read.
 * @throws ServiceError `unauthorized`, `forbidden`, `unavailable`.
 */
export async function authorize(principal: Principal, operation: Operation): Promise<void> {
  const rule: Rule = operations[operation];
  if (rule.scope === 'public') return;
  if (principal === nobody)
    throw new ServiceError('unauthorized', `${operation} needs to know who is calling.`);
  if (rule.scope === 'known') return;
  const { grants } = principal;
  if (rule.scope === 'named project' && grants.isOpenEnded) return;
  for (const permission of rule.permissions) if (await grants.anywhere(permission)) return;
  forbid(operation, rule.permissions);
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
