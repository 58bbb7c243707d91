import { everythingVisible, type Visibility } from './visibility.ts';

/** The permissions of the integrity service (specification, part 5). */
export const permissions = [
  'apply_policies',
  'create_agent_memberships',
  'create_comments',
  'create_credentials',
  'create_declarations',
  'create_projects',
  'manage_configuration',
  'revoke_credentials',
  'view_project_data',
] as const;

export type Permission = (typeof permissions)[number];

function isPermission(name: unknown): name is Permission {
  return permissions.some((permission) => permission === name);
}

/** Permissions that an organisation grants, for content outside of projects. */
const ofOrganizations: readonly Permission[] = ['create_projects', 'apply_policies'];

export function isOfOrganizations(permission: Permission): boolean {
  return ofOrganizations.includes(permission);
}

/** The permissions of a caller. Each method throws ServiceError `unavailable` if the authority cannot be reached. */
export interface Grants {
  on(project: string, permission: Permission): Promise<boolean>;
  /** One of the permissions, in any project. Permissions that organisations grant also count in any organisation. */
  anywhere(...permissions: readonly Permission[]): Promise<boolean>;
  /** For content outside of projects: granted for all projects, or by any organisation. */
  beyondProjects(permission: Permission): Promise<boolean>;
  /** For content of one organisation: granted for all projects, or by that organisation. */
  inOrganization(organization: string, permission: Permission): Promise<boolean>;
  /**
   * The content that lists may show to the caller.
   * @param project for a list of one project: the answer may leave out all others.
   */
  visible(project?: string): Promise<Visibility>;
  /** Whether the caller may have permissions on projects that this service does not know yet. */
  readonly isOpenEnded: boolean;
}

export const everythingGranted: Grants = {
  on: async () => true,
  anywhere: async () => true,
  beyondProjects: async () => true,
  inOrganization: async () => true,
  visible: async () => everythingVisible,
  isOpenEnded: false,
};

export type PermissionMap = ReadonlyMap<string, ReadonlySet<Permission>>;

/**
 * Grants from fixed permissions.
 * @param projects by project id; `*` means all projects.
 * @param organizations by organisation id.
 */
export function fixedGrants(projects: PermissionMap, organizations: PermissionMap = new Map()): Grants {
  const inAll = (permission: Permission) => projects.get('*')?.has(permission) ?? false;
  const inSome = (map: PermissionMap, permission: Permission) =>
    map.values().some((granted) => granted.has(permission));
  const byOrganization = (permission: Permission) =>
    isOfOrganizations(permission) && inSome(organizations, permission);
  return {
    on: async (project, permission) => inAll(permission) || Boolean(projects.get(project)?.has(permission)),
    anywhere: async (...permissions) =>
      permissions.some((permission) => inSome(projects, permission) || byOrganization(permission)),
    beyondProjects: async (permission) => inAll(permission) || byOrganization(permission),
    inOrganization: async (organization, permission) =>
      inAll(permission) ||
      (isOfOrganizations(permission) && Boolean(organizations.get(organization)?.has(permission))),
    async visible() {
      if (inAll('view_project_data')) return everythingVisible;
      const visible = [...projects].filter(([, granted]) => granted.has('view_project_data'));
      return { projects: new Set(visible.map(([project]) => project)) };
    },
    isOpenEnded: false,
  };
}

type Claims = Readonly<Record<string, unknown>>;

export interface ClaimedGrants {
  /** Null if the claims contain no permissions. */
  readonly grants: Grants | null;
  readonly organizations: readonly string[];
  readonly isAdmin: boolean;
  /** One sentence for each malformed claim. Malformed claims grant nothing. */
  readonly problems: readonly string[];
}

const noPermissions: PermissionMap = new Map();

/**
 * Reads the claims `<namespace>/permissions`, `<namespace>/organizations` and `<namespace>/has_admin_access`. Unknown
 * permissions are ignored, because they belong to other services.
 */
export function claimedGrants(claims: Claims, namespace: string): ClaimedGrants {
  const problems: string[] = [];
  const mapOf = (name: string) => {
    const claim = `${namespace}/${name}`;
    const value = Object.hasOwn(claims, claim) ? claims[claim] : undefined;
    return value === undefined ? undefined : permissionMap(value, claim, problems);
  };
  const projects = mapOf('permissions');
  const organizations = mapOf('organizations') ?? noPermissions;
  return {
    grants: projects ? fixedGrants(lowerCased(projects), organizations) : null,
    organizations: [...organizations.keys()],
    isAdmin: claims[`${namespace}/has_admin_access`] === true,
    problems,
  };
}

function permissionMap(value: unknown, claim: string, problems: string[]): PermissionMap {
  const map = new Map<string, ReadonlySet<Permission>>();
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    problems.push(`The claim ${claim} is not an object, so it grants nothing.`);
    return map;
  }
  for (const [id, names] of Object.entries(value)) {
    if (Array.isArray(names)) map.set(id, new Set(names.filter(isPermission)));
    else problems.push(`The claim ${claim} has a member that is not a list. That member grants nothing.`);
  }
  return map;
}

/** UUIDs are case-insensitive. */
function lowerCased(map: PermissionMap): PermissionMap {
  return new Map([...map].map(([id, granted]) => [id.toLowerCase(), granted]));
}
