import {
  projectAgentDetail,
  projectAgentList,
  projectAgentParams,
  projectParams,
} from '../../../contract/control-plane/projects.ts';
import { paging } from '../../../contract/paging.ts';
import type { Agent } from '../../../domain/control-plane/agents/agents.ts';
import {
  type Identity,
  identitiesIn,
  listProjectAgents,
} from '../../../domain/control-plane/projects/evidence.ts';
import { jsonOf, pageRequest } from '../../answering.ts';
import { isoOrNull, isoTime, jsonAnswer } from '../../answers.ts';
import { keyJson } from '../agents/agent-json.ts';
import { type ControlPlaneApp, operation } from '../operation.ts';
import { enterAgent, enterProject, noAgent, type ProjectPorts, severalAgents } from './project-calls.ts';

export const tag = 'Projects';

export function projectAgentRoutes(app: ControlPlaneApp, ports: ProjectPorts): void {
  operation(app, 'GET /v1/projects/{project_uuid}/agents', {
    access: 'project',
    tag,
    summary: 'List the agents of a project',
    description:
      'Agents that are known here and have evidence of a membership in the project, be it valid or not. A page may be shorter than its limit, or empty. The last page has no next_cursor.',
    params: projectParams,
    query: paging,
    answers: { 200: jsonAnswer('A page of agents', projectAgentList) },
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
    params: projectAgentParams,
    answers: { 200: jsonAnswer('The agent', projectAgentDetail), 404: noAgent, 409: severalAgents },
    handle: async (call) => {
      const found = await enterAgent(ports, call);
      const identities = await identitiesIn(ports, call.params.project_uuid, found);
      return call.answer(200, { ...agentJson(found.agent), identities: identities.map(identityJson) });
    },
  });
}

function agentJson({ id, name, handle, state }: Agent) {
  return { agent_id: id, name, handle, state };
}

function identityJson({ subjectDid, evidence, keys }: Identity) {
  return {
    subject_did: subjectDid,
    memberships: evidence.map(({ validFrom, validUntil, credentialId, status }) => ({
      valid_from: isoTime(validFrom),
      valid_until: isoOrNull(validUntil),
      credential_id: credentialId,
      status,
    })),
    keys: keys?.map(keyJson) ?? null,
  };
}
