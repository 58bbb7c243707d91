import type { Grants } from './grants.ts';
import { isOfOrganizations, type Permission } from './permissions.ts';

export interface Resource {
  readonly type: 'project' | 'organization';
  readonly id: string;
}

/** Who decides about a caller whose claims do not say what they may do. */
export interface Authority {
  /** Cheap when it was asked a moment ago. @throws ServiceError `unavailable`; that is never a yes. */
  allows(permission: Permission, resource: Resource): Promise<boolean>;
  /** Ids of the projects of this service, the oldest first, as many as it is sensible to ask about. */
  projects(): Promise<readonly string[]>;
}

/** More would make one request a flood of questions. */
const askedAtOnce = 8;

/** @param organizations those of the caller. */
export function askedGrants({ allows, projects }: Authority, organizations: readonly string[]): Grants {
  const byOrganization = async (permission: Permission) =>
    isOfOrganizations(permission) &&
    (await some(organizations, (id) => allows(permission, { type: 'organization', id })));
  const onProject = async (id: string, permission: Permission) =>
    await allows(permission, { type: 'project', id });
  return {
    on: onProject,
    anywhere: async (permission) =>
      (await byOrganization(permission)) || (await some(await projects(), (id) => onProject(id, permission))),
    beyondProjects: byOrganization,
    visible: async () => ({
      projects: new Set(await filter(await projects(), (id) => onProject(id, 'view_project_data'))),
    }),
    isOpenEnded: true,
  };
}

async function some(ids: readonly string[], holds: (id: string) => Promise<boolean>): Promise<boolean> {
  for (let at = 0; at < ids.length; at += askedAtOnce) {
    const found = await filter(ids.slice(at, at + askedAtOnce), holds);
    if (found.length > 0) return true;
  }
  return false;
}

async function filter(ids: readonly string[], holds: (id: string) => Promise<boolean>): Promise<string[]> {
  const found: string[] = [];
  for (let at = 0; at < ids.length; at += askedAtOnce) {
    const some = ids.slice(at, at + askedAtOnce);
    const answers = await Promise.all(some.map(holds));
    found.push(...some.filter((_, index) => answers[index]));
  }
  return found;
}

/** The same, and what an administrator of the platform may do beside it. */
export function withAdministration(grants: Grants): Grants {
  const isGiven = (permission: Permission) => permission === 'manage_configuration';
  return {
    on: async (project, permission) => isGiven(permission) || (await grants.on(project, permission)),
    anywhere: async (permission) => isGiven(permission) || (await grants.anywhere(permission)),
    beyondProjects: async (permission) => isGiven(permission) || (await grants.beyondProjects(permission)),
    visible: async () => await grants.visible(),
    isOpenEnded: grants.isOpenEnded,
  };
}
