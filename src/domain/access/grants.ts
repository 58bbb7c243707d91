import { isOfOrganizations, type Permission } from './permissions.ts';
import { everythingVisible, type Visibility } from './visibility.ts';

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
