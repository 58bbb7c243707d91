import { z } from '@hono/zod-openapi';
import { nextCursor, paging } from '../../../contract/paging.ts';
import type { Agent } from '../../../domain/control-plane/agents/agents.ts';
import {
  type Identity,
  identitiesIn,
  listProjectAgents,
} from '../../../domain/control-plane/projects/evidence.ts';
import { jsonAnswer } from '../../answers.ts';
import { jsonOf, pageRequest } from '../../list-pages.ts';
import { type ControlPlaneApp, operation } from '../operation.ts';
import {
  agentParams,
  enterAgent,
  enterProject,
  isoOrNull,
  isoTime,
  noAgent,
  type ProjectPorts,
  projectParams,
  severalAgents,
} from './project-calls.ts';

export const tag = 'Projects';

const agent = z.object({
  agent_id: z.string().describe('The local id'),
  name: z.string(),
  handle: z.string().nullable(),
  state: z.enum(['active', 'revoked']),
});

const listed = agent
  .extend({ subject_dids: z.array(z.string()).describe('The DIDs of its memberships in this project') })
  .openapi('ProjectAgent');

const identity = z.object({
  subject_did: z.string(),
  memberships: z.array(
    z.object({
      valid_from: z.iso.datetime(),
      valid_until: z.iso.datetime().nullable(),
      credential_id: z.string().nullable(),
      status: z.string().nullable().describe('As the gateway reported it'),
    }),
  ),
  keys: z
    .array(z.object({ did: z.string(), added_at: z.iso.datetime(), retired_at: z.iso.datetime().nullable() }))
    .nullable()
    .describe('The keys with this DID; null if the path names another DID'),
});

const detail = agent.extend({ identities: z.array(identity) }).openapi('ProjectAgentDetail');

export function projectAgentRoutes(app: ControlPlaneApp, ports: ProjectPorts): void {
  operation(app, 'GET /v1/projects/{project_uuid}/agents', {
    access: 'project',
    tag,
    summary: 'List the agents of a project',
    description:
      'Agents that are known here and have evidence of a membership in the project, be it valid or not. A page may be shorter than its limit, or empty. The last page has no next_cursor.',
    params: projectParams,
    query: paging,
    answers: {
      200: jsonAnswer(
        'A page of agents',
        z.object({ agents: z.array(listed), next_cursor: nextCursor }).openapi('ProjectAgentList'),
      ),
    },
    handle: async (call) => {
      await enterProject(ports, call);
      const page = await listProjectAgents(ports, call.params.project_uuid, pageRequest(call.query));
      const agents = jsonOf(page.agents, ({ agent, subjectDids }) => ({
        ...agentJson(agent),
        subject_dids: subjectDids,
      }));
      return await call.answerList('agents', agents, page);
    },
  });

  operation(app, 'GET /v1/projects/{project_uuid}/agents/{agent_id}', {
    access: 'project',
    tag,
    summary: 'Show an agent of a project',
    description: 'Shows the identities that the evidence of this project gives the agent, and no others.',
    params: agentParams,
    answers: { 200: jsonAnswer('The agent', detail), 404: noAgent, 409: severalAgents },
    handle: async (call) => {
      const found = await enterAgent(ports, call);
      const identities = await identitiesIn(ports, call.params.project_uuid, found);
      return call.answer(200, { ...agentJson(found.agent), identities: identities.map(identityJson) });
    },
  });
}

function agentJson({ id, name, handle, state }: Agent): z.output<typeof agent> {
  return { agent_id: id, name, handle, state };
}

function identityJson({ subjectDid, evidence, keys }: Identity): z.output<typeof identity> {
  return {
    subject_did: subjectDid,
    memberships: evidence.map(({ validFrom, validUntil, credentialId, status }) => ({
      valid_from: isoTime(validFrom),
      valid_until: isoOrNull(validUntil),
      credential_id: credentialId,
      status,
    })),
    keys:
      keys?.map(({ did, addedAt, retiredAt }) => ({
        did,
        added_at: isoTime(addedAt),
        retired_at: isoOrNull(retiredAt),
      })) ?? null,
  };
}
