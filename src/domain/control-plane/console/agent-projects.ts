import type { ProjectMembership, ProjectMemberships } from '../gateway/memberships.ts';
import type { ProjectBound } from '../projects/project-access.ts';

/** A project with evidence that an agent is or was a member. */
export interface AgentProject {
  readonly projectUuid: string;
  readonly boundTo: ProjectBound['kind'];
  readonly memberships: readonly ProjectMembership[];
}

/** Memberships of one agent that are read. */
const membershipsRead = 200;

/** The projects of an agent, in the order of their UUIDs. */
export async function projectsOf(
  {
    memberships,
    projectBindings,
  }: {
    readonly memberships: Pick<ProjectMemberships, 'page'>;
    readonly projectBindings: { get(projectUuid: string): Promise<ProjectBound | undefined> };
  },
  agentId: string,
): Promise<AgentProject[]> {
  const { records } = await memberships.page('byAgent', [agentId], { after: null, limit: membershipsRead });
  return await Promise.all(
    [...Map.groupBy(records, ({ projectUuid }) => projectUuid)].map(async ([projectUuid, own]) => ({
      projectUuid,
      boundTo: (await projectBindings.get(projectUuid))?.kind ?? 'operator',
      memberships: own,
    })),
  );
}
