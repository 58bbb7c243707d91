import { ServiceError } from './errors.ts';

/** The permissions of the integrity service (specification, part 5), names exact. */
export type Permission =
  | 'apply_policies'
  | 'create_agent_memberships'
  | 'create_comments'
  | 'create_credentials'
  | 'create_declarations'
  | 'create_projects'
  | 'manage_configuration'
  | 'revoke_credentials'
  | 'view_project_data';

/** Who is calling. Two issuers never share a subject: both fields together name a caller. */
export interface Principal {
  readonly issuer: string;
  readonly subject: string;
  /** `everything` for the development mode; otherwise permissions by project id, `*` for all projects. */
  readonly grants: 'everything' | ReadonlyMap<string, ReadonlySet<Permission>>;
}

/** What a list, search, traversal or count may show: all, or the content of some projects. */
export type Visibility = { readonly projects: 'all' | ReadonlySet<string> };

export const everythingVisible: Visibility = { projects: 'all' };

/** The caller while authentication is disabled. */
export const developmentPrincipal: Principal = {
  issuer: 'disabled',
  subject: 'development',
  grants: 'everything',
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
  | { readonly scope: 'project'; readonly permissions: readonly Permission[] };

const anywhere = (...permissions: Permission[]): Rule => ({ scope: 'anywhere', permissions });
const onProject = (...permissions: Permission[]): Rule => ({ scope: 'project', permissions });
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
  'POST /manifest/v1': onProject('create_projects', 'create_declarations'),
  'PUT /graph/v1': onProject('create_projects', 'create_declarations'),
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

/**
 * The check that needs nothing of the request but its path: is there any project in which the caller may do
 * this? It runs before a body is read.
 * @throws ServiceError `forbidden`.
 */
export function authorize(principal: Principal, operation: Operation): void {
  const rule: Rule = operations[operation];
  if (rule.scope === 'public' || rule.scope === 'known') return;
  if (rule.permissions.some((permission) => hasAnywhere(principal, permission))) return;
  forbid(operation, rule.permissions);
}

/**
 * The check once the request's project is known.
 * @param permission the one among the operation's permissions that this request calls for.
 * @throws ServiceError `forbidden`.
 */
export function authorizeProject(principal: Principal, permission: Permission, projectId: string): void {
  if (!has(principal, permission, projectId)) forbid(`project ${projectId}`, [permission]);
}

export function has(principal: Principal, permission: Permission, projectId: string): boolean {
  const { grants } = principal;
  if (grants === 'everything') return true;
  return Boolean(grants.get(projectId)?.has(permission) || grants.get('*')?.has(permission));
}

function hasAnywhere({ grants }: Principal, permission: Permission): boolean {
  return grants === 'everything' || grants.values().some((permissions) => permissions.has(permission));
}

/** The content that the caller may be shown in lists. */
export function visibilityOf(principal: Principal): Visibility {
  const { grants } = principal;
  if (has(principal, 'view_project_data', '*') || grants === 'everything') return everythingVisible;
  const visible = [...grants].filter(([, permissions]) => permissions.has('view_project_data'));
  return { projects: new Set(visible.map(([project]) => project)) };
}

/** Whether an unknown graph may be told from a forbidden one: only where nobody is asked who they are. */
export function mayProbe(principal: Principal): boolean {
  return principal.grants === 'everything';
}

function forbid(what: string, permissions: readonly Permission[]): never {
  throw new ServiceError('forbidden', `This needs the permission ${permissions.join(' or ')} (${what}).`);
}
