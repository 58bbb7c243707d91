import type { Context } from 'hono';
import type { z } from 'zod';
import type { projectAgentParams, projectParams } from '../../../contract/control-plane/projects.ts';
import type { KnownCaller } from '../../../domain/control-plane/known-caller.ts';
import {
  type ProjectEvidence,
  type ResolvedAgent,
  resolvedAgent,
} from '../../../domain/control-plane/projects/evidence.ts';
import {
  authorizeProjectRead,
  type ProjectAccess,
} from '../../../domain/control-plane/projects/project-access.ts';
import { type RuntimeScope, runtimeScope } from '../../../domain/control-plane/projects/runtime-reads.ts';
import { bearerOf } from '../../../platform/tokens/bearer-attempts.ts';
import { errorAnswer } from '../../answers.ts';

export const noAgent = errorAnswer(
  'This project has no evidence of this agent, or the agent has no such record',
);
export const severalAgents = errorAnswer('The DID belongs to several agents of the project');

export interface ProjectPorts extends ProjectAccess, ProjectEvidence {}

interface ProjectCall {
  readonly context: Context;
  readonly principal: KnownCaller;
  readonly params: z.output<typeof projectParams>;
}

interface AgentCall extends ProjectCall {
  readonly params: z.output<typeof projectAgentParams>;
}

/** @throws ServiceError `unauthorized`, `forbidden`, `unavailable`. */
export async function enterProject(
  ports: ProjectPorts,
  { context, principal, params }: ProjectCall,
): Promise<void> {
  const bearer = () => bearerOf(context.req.header('authorization'));
  await authorizeProjectRead(ports, { role: principal.role, bearer }, params.project_uuid);
}

/** @throws ServiceError as `enterProject`, `not_found`, `conflict`. */
export async function enterAgent(ports: ProjectPorts, call: AgentCall): Promise<ResolvedAgent> {
  await enterProject(ports, call);
  return await resolvedAgent(ports, call.params.project_uuid, call.params.agent_id);
}

/** @throws ServiceError as `enterAgent`. */
export async function enterRuntime(ports: ProjectPorts, call: AgentCall): Promise<RuntimeScope> {
  const { agent } = await enterAgent(ports, call);
  return runtimeScope(call.params.project_uuid, agent.id);
}
