import { eachRecord, firstRecord, type PageRequest } from '../../collections/records.ts';
import { readCursor, throwBadCursor, writeCursor } from '../../cursors.ts';
import { ServiceError } from '../../errors.ts';
import type { Agent, AgentKey, AgentKeys, Agents } from '../agents/agents.ts';
import type { ProjectMembership, ProjectMemberships } from '../gateway/project-records.ts';
import type { ProjectBound } from './project-access.ts';

export interface ProjectEvidence {
  readonly memberships: Pick<ProjectMemberships, 'page'>;
  readonly agents: Pick<Agents, 'get' | 'among'>;
  readonly agentKeys: Pick<AgentKeys, 'page'>;
}

/** An agent of a project, and the DID by which the caller named it; null if by its local id. */
export interface ResolvedAgent {
  readonly agent: Agent;
  readonly namedBy: string | null;
}

/** Memberships of one DID. More would be evidence that somebody writes by mistake. */
const membershipsRead = 1_000;

/**
 * Rule 5: the agent must be known here, and so must evidence of its membership in the project. The evidence may be
 * expired, revoked or invalid, so that history stays readable.
 * @param name the local id of the agent, or the subject DID of its membership.
 * @throws ServiceError `not_found`; `conflict` if the DID belongs to several agents.
 */
export async function resolvedAgent(
  { memberships, agents }: Pick<ProjectEvidence, 'memberships' | 'agents'>,
  projectUuid: string,
  name: string,
): Promise<ResolvedAgent> {
  const isLocal = (await firstRecord(memberships, 'byProject', [projectUuid, name])) !== undefined;
  const agentId = isLocal ? name : await agentOfSubject(memberships, projectUuid, name);
  const agent = agentId === undefined ? undefined : await agents.get(agentId);
  if (!agent)
    throw new ServiceError('not_found', `Project ${projectUuid} has no evidence of an agent "${name}".`);
  return { agent, namedBy: isLocal ? null : name };
}

async function agentOfSubject(
  memberships: ProjectEvidence['memberships'],
  projectUuid: string,
  subjectDid: string,
): Promise<string | undefined> {
  const request = { after: null, limit: membershipsRead };
  const { records } = await memberships.page('bySubject', [projectUuid, subjectDid], request);
  const [agentId, ...others] = new Set(records.map((membership) => membership.agentId));
  if (others.length === 0) return agentId;
  throw new ServiceError(
    'conflict',
    `"${subjectDid}" is the DID of several agents in this project. Name the agent by its local id.`,
  );
}

/** A DID that an agent uses in a project, with the evidence for it. */
export interface Identity {
  readonly subjectDid: string;
  readonly evidence: readonly ProjectMembership[];
  /** The keys with this DID; null if the caller asked about another DID. */
  readonly keys: readonly AgentKey[] | null;
}

/** The identities of an agent in a project, in the order of their DIDs. */
export async function identitiesIn(
  { memberships, agentKeys }: Pick<ProjectEvidence, 'memberships' | 'agentKeys'>,
  projectUuid: string,
  { agent, namedBy }: ResolvedAgent,
): Promise<Identity[]> {
  const evidence = await Array.fromAsync(eachRecord(memberships, 'byProject', [projectUuid, agent.id]));
  const keys = await Array.fromAsync(eachRecord(agentKeys, 'byAgent', [agent.id]));
  return evidencedIdentities(evidence, keys, namedBy);
}

/**
 * Rule 4: identities come from the evidence of the project alone. Key detail is limited to keys with the DID of an
 * identity, and to the DID by which the caller named the agent.
 */
export function evidencedIdentities(
  evidence: readonly ProjectMembership[],
  keys: readonly AgentKey[],
  namedBy: string | null,
): Identity[] {
  const byDid = Map.groupBy(evidence, ({ subjectDid }) => subjectDid);
  return [...byDid.entries()]
    .toSorted(([one], [other]) => (one < other ? -1 : 1))
    .map(([subjectDid, own]) => ({
      subjectDid,
      evidence: own,
      keys: namedBy === null || namedBy === subjectDid ? keys.filter(({ did }) => did === subjectDid) : null,
    }));
}

export interface AgentsPage {
  readonly agents: readonly { readonly agent: Agent; readonly subjectDids: readonly string[] }[];
  readonly next?: string;
}

/** Memberships read for one page beside those that its agents need. */
const spareMemberships = 500;

/**
 * The agents of a project that are known here, by their ids. A page may be short or empty.
 * @throws ServiceError `invalid_request` for a cursor of another list.
 */
export async function listProjectAgents(
  { memberships, agents }: Pick<ProjectEvidence, 'memberships' | 'agents'>,
  projectUuid: string,
  { after, limit }: PageRequest,
): Promise<AgentsPage> {
  const question = ['project agents', projectUuid];
  const last = after === null ? null : agentIdIn(readCursor(after, question));
  // The evidence of an agent is never divided between pages, so the next page starts behind its last agent.
  const range = { from: last === null ? null : `${last}\0` };
  const request = { after: null, limit: limit + spareMemberships, range };
  const found = await memberships.page('byProject', [projectUuid], request);
  const groups = [...Map.groupBy(found.records, ({ agentId }) => agentId)];
  const isLastCut = found.next !== undefined && groups.length > 1;
  const shown = groups.slice(0, Math.min(limit, groups.length - (isLastCut ? 1 : 0)));
  const known = await agents.among(
    'key',
    shown.map(([id]) => id),
    1,
  );
  const listed = shown.flatMap(([, evidence], at) => {
    const agent = known[at]?.[0];
    return agent ? [{ agent, subjectDids: [...new Set(evidence.map((one) => one.subjectDid))] }] : [];
  });
  const hasMore = found.next !== undefined || shown.length < groups.length;
  const end = shown.at(-1)?.[0];
  return { agents: listed, ...(hasMore && end !== undefined && { next: writeCursor(end, question) }) };
}

function agentIdIn(position: unknown): string {
  return typeof position === 'string' ? position : throwBadCursor();
}

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

export interface AgentProjectPorts {
  readonly memberships: Pick<ProjectMemberships, 'page'>;
  readonly bindingOf: (projectUuid: string) => Promise<ProjectBound | undefined>;
}

/** Memberships of one agent that are read. */
const membershipsOfAgent = 200;

/** The projects of an agent, for an administrator. */
export async function projectsOf(
  { memberships, bindingOf }: AgentProjectPorts,
  agentId: string,
): Promise<AgentProjects> {
  const { records } = await memberships.page('byAgent', [agentId], {
    after: null,
    limit: membershipsOfAgent,
  });
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
