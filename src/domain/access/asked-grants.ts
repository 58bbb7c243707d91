import { mapConcurrent } from '../map-concurrent.ts';
import type { Grants } from './grants.ts';
import { isOfOrganizations, type Permission } from './permissions.ts';

export interface Resource {
  readonly type: 'project' | 'organization';
  readonly id: string;
}

/** Decides about permissions of callers whose claims contain none. */
export interface Authority {
  /** Answers are cached for a moment. @throws ServiceError `unavailable`. */
  allows(permission: Permission, resource: Resource): Promise<boolean>;
  /** Ids of the oldest projects of this service, up to a limit. */
  projects(): Promise<readonly string[]>;
}

/** Limits how many checks one request sends at once. */
const checksAtOnce = 8;

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
  for await (const held of mapConcurrent(ids, checksAtOnce, holds)) if (held) return true;
  return false;
}

async function filter(ids: readonly string[], holds: (id: string) => Promise<boolean>): Promise<string[]> {
  const answers = await Array.fromAsync(mapConcurrent(ids, checksAtOnce, holds));
  return ids.filter((_, index) => answers[index]);
}

/** Adds the permissions of a platform administrator. */
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
