import { type Grants, isOfOrganizations, type Permission } from './grants.ts';
import { type ProjectSearch, throwUnfinished } from './project-search.ts';

export interface Resource {
  readonly type: 'project' | 'organization';
  readonly id: string;
}

/** Decides about permissions of a caller whose claims contain none, and remembers about that caller. */
export interface Authority {
  /** Answers are cached for a moment, unless `isFresh` asks for a new one. @throws ServiceError `unavailable`. */
  allows(permission: Permission, resource: Resource, isFresh?: boolean): Promise<boolean>;
  /** Projects on which the caller had some permission lately, the last first. They may have lost it since. */
  recent(): readonly string[];
  /** Remembers a recent project. */
  remember(project: string): void;
  /** The search for the caller's projects, kept for a moment. */
  search(permission: Permission): ProjectSearch;
}

/** How many questions one request may cause to find some project with a permission. */
const mostToFindOne = 200;
/** How many questions a list may cause. It needs the answers about all projects. */
const mostToFindAll = 2_000;
/** A question about all projects or organisations. */
const all = '*';

export function askedGrants(authority: Authority, organizations: readonly string[]): Grants {
  const onProject = async (id: string, permission: Permission, isFresh = false) => {
    const isAllowed = await authority.allows(permission, { type: 'project', id }, isFresh);
    if (isAllowed) authority.remember(id);
    return isAllowed;
  };
  const inOrganization = async (id: string, permission: Permission) =>
    isOfOrganizations(permission) && (await authority.allows(permission, { type: 'organization', id }));
  // The claims may name no organisations, or not all.
  const beyondProjects = async (permission: Permission) =>
    (await some([...organizations, all], (id) => inOrganization(id, permission))) ||
    (await authority.allows(permission, { type: 'project', id: all }));
  const quickly = async (permission: Permission) =>
    authority.search(permission).allowed.size > 0 ||
    (await some(authority.recent(), (id) => onProject(id, permission))) ||
    (await beyondProjects(permission));
  const slowly = async (permissions: readonly Permission[]) => {
    const most = Math.ceil(mostToFindOne / permissions.length);
    let isUnfinished = false;
    for (const permission of permissions) {
      const search = authority.search(permission);
      const outcome = await search.some((id) => onProject(id, permission, true), most);
      if (outcome === 'found') return true;
      isUnfinished ||= outcome === 'unfinished';
    }
    return isUnfinished ? throwUnfinished() : false;
  };
  return {
    on: onProject,
    anywhere: async (...permissions) => (await some(permissions, quickly)) || (await slowly(permissions)),
    beyondProjects,
    inOrganization,
    async visible(project) {
      if (project !== undefined)
        return { projects: new Set((await onProject(project, 'view_project_data')) ? [project] : []) };
      // The search has a memory of its own.
      const search = authority.search('view_project_data');
      return { projects: await search.all((id) => onProject(id, 'view_project_data', true), mostToFindAll) };
    },
    isOpenEnded: true,
  };
}

/** Asks one after the other. */
async function some<Item>(items: readonly Item[], holds: (item: Item) => Promise<boolean>): Promise<boolean> {
  for (const item of items) if (await holds(item)) return true;
  return false;
}

/** Adds the permissions of a platform administrator. */
export function withAdministration(grants: Grants): Grants {
  const isGiven = (permission: Permission) => permission === 'manage_configuration';
  return {
    on: async (project, permission) => isGiven(permission) || (await grants.on(project, permission)),
    anywhere: async (...permissions) => permissions.some(isGiven) || (await grants.anywhere(...permissions)),
    beyondProjects: async (permission) => isGiven(permission) || (await grants.beyondProjects(permission)),
    inOrganization: async (organization, permission) =>
      isGiven(permission) || (await grants.inOrganization(organization, permission)),
    visible: async (project) => await grants.visible(project),
    isOpenEnded: grants.isOpenEnded,
  };
}
