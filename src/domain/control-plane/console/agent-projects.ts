import type { ProjectMembership, ProjectMemberships } from '../gateway/memberships.ts';
import type { ProjectBound } from '../projects/project-access.ts';

/** A project of the operator, with the evidence that an agent is or was a member. */
export interface OperatorProject {
  readonly projectUuid: string;
  readonly memberships: readonly ProjectMembership[];
}

export interface AgentProjects {
  /** In the order of their UUIDs. */
  readonly operated: readonly OperatorProject[];
  /** How many projects of the governance console there are beside them. Only a bearer token opens those. */
  readonly boundToConsole: number;
}

interface AgentProjectPorts {
  readonly memberships: Pick<ProjectMemberships, 'page'>;
  readonly bindingOf: (projectUuid: string) => Promise<ProjectBound | undefined>;
}

/** Memberships of one agent that are read. */
const membershipsRead = 200;

/** The projects of an agent, for an administrator. */
export async function projectsOf(
  { memberships, bindingOf }: AgentProjectPorts,
  agentId: string,
): Promise<AgentProjects> {
  const { records } = await memberships.page('byAgent', [agentId], { after: null, limit: membershipsRead });
  const projects = await Promise.all(
    [...Map.groupBy(records, ({ projectUuid }) => projectUuid)].map(async ([projectUuid, own]) => ({
      projectUuid,
      memberships: own,
      isBound: (await bindingOf(projectUuid))?.kind === 'console',
    })),
  );
  const operated = projects.filter(({ isBound }) => !isBound);
  return { operated, boundToConsole: projects.length - operated.length };
}
