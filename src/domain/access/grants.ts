import { isOfOrganizations, type Permission } from './permissions.ts';
import { everythingVisible, type Visibility } from './visibility.ts';

/** What a caller may do. Each question throws ServiceError `unavailable` when nobody can tell. */
export interface Grants {
  on(project: string, permission: Permission): Promise<boolean>;
  /** In any project; what organisations give, in any organisation too. */
  anywhere(permission: Permission): Promise<boolean>;
  /** For what is in no project yet: for all projects, or in any organisation. */
  beyondProjects(permission: Permission): Promise<boolean>;
  /** The content that the caller may be shown in lists. */
  visible(): Promise<Visibility>;
  /** Whether there can be permissions on projects of which this service knows nothing yet. */
  readonly isOpenEnded: boolean;
}

/** Of the development mode. */
export const everythingGranted: Grants = {
  on: async () => true,
  anywhere: async () => true,
  beyondProjects: async () => true,
  visible: async () => everythingVisible,
  isOpenEnded: false,
};

export type PermissionMap = ReadonlyMap<string, ReadonlySet<Permission>>;

/**
 * Permissions that were told once and for all.
 * @param projects by project id, `*` for all projects.
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
    anywhere: async (permission) => inSome(projects, permission) || byOrganization(permission),
    beyondProjects: async (permission) => inAll(permission) || byOrganization(permission),
    async visible() {
      if (inAll('view_project_data')) return everythingVisible;
      const visible = [...projects].filter(([, granted]) => granted.has('view_project_data'));
      return { projects: new Set(visible.map(([project]) => project)) };
    },
    isOpenEnded: false,
  };
}
