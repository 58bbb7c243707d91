import { z } from 'zod';
import type {
  AgentDetailAnswer,
  AgentAnswer as DeclaredAgent,
} from '../../../contract/control-plane/agents.ts';
import { partsOf } from '../../client/answer-parts.ts';
import { type ApiClient, openClient } from '../../client/api-client.ts';
import { readClientSettings } from '../../client/client-settings.ts';
import type { Io } from '../../terminal/io.ts';

/** The parts of the service's answers that commands show. */
export const agentAnswer = partsOf<DeclaredAgent>()(
  z.object({
    agent_id: z.string(),
    name: z.string(),
    handle: z.string().nullable(),
    issuer: z.string(),
    subject: z.string(),
    did: z.string().nullable(),
    state: z.string(),
    created_at: z.string(),
    changed_at: z.string(),
  }),
);
export type AgentAnswer = z.output<typeof agentAnswer>;

export const agentPage = z.object({ agents: z.array(agentAnswer), next_cursor: z.string().optional() });

export const agentDetail = partsOf<AgentDetailAnswer>()(
  agentAnswer.extend({
    keys: z.array(z.object({ did: z.string(), added_at: z.string(), retired_at: z.string().nullable() })),
    bindings: z.array(
      z.object({
        id: z.string(),
        issuer: z.string(),
        subject: z.string(),
        state: z.string(),
        created_at: z.string(),
      }),
    ),
  }),
);
export type AgentDetail = z.output<typeof agentDetail>;

export const eventPage = z.object({
  status_events: z.array(
    z.object({
      event: z.string(),
      actor: z.object({ issuer: z.string(), subject: z.string().nullable() }),
      reason: z.string().nullable(),
      at: z.string(),
    }),
  ),
});
export type StatusEvents = z.output<typeof eventPage>['status_events'];

/** A client of the control plane. */
export function openControlPlane(io: Io): ApiClient {
  const { url, idBearer } = readClientSettings(io);
  return openClient({ url, bearer: idBearer });
}

export function agentPath(id: string): string {
  return `/v1/agents/${encodeURIComponent(id)}`;
}

export function jsonBody(body: object) {
  return { headers: { 'content-type': 'application/json' }, body: () => JSON.stringify(body) };
}
