import { z } from '@hono/zod-openapi';
import type { Context } from 'hono';
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
import { type RuntimeScope, runtimeScope } from '../../../domain/control-plane/projects/runtime-scope.ts';
import { bearerOf } from '../../../platform/tokens/bearer-attempts.ts';
import { errorAnswer } from '../../answers.ts';
import { projectUuid } from '../project-uuid.ts';

export const projectParams = z.object({ project_uuid: projectUuid });

export const agentParams = projectParams.extend({
  agent_id: z
    .string()
    .min(1)
    .max(2_000)
    .describe('The local id of the agent, or the subject DID of its membership, percent-encoded'),
});

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
  readonly params: z.output<typeof agentParams>;
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

export const isoTime = (time: number) => new Date(time).toISOString();
export const isoOrNull = (time: number | null) => (time === null ? null : isoTime(time));
