import { z } from 'zod';
import { pageOf } from '../paging.ts';
import { uuidField } from '../values.ts';
import { agent, agentKey } from './agents.ts';

export const projectUuid = uuidField.meta({ example: '0199b6f2-6f0e-7cc3-9d5f-b7f6c9a1d3e4' });

export const projectParams = z.object({ project_uuid: projectUuid });

export const projectAgentParams = projectParams.extend({
  agent_id: z
    .string()
    .min(1)
    .max(2_000)
    .describe('The local id of the agent, or the subject DID of its membership, percent-encoded'),
});

const shown = agent.pick({ agent_id: true, name: true, handle: true, state: true });

const listed = shown
  .extend({ subject_dids: z.array(z.string()).describe('The DIDs of its memberships in this project') })
  .meta({ id: 'ProjectAgent' });

export const projectAgentList = pageOf({ agents: z.array(listed) }).meta({ id: 'ProjectAgentList' });

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
  keys: z.array(agentKey).nullable().describe('The keys with this DID; null if the path names another DID'),
});

export const projectAgentDetail = shown
  .extend({ identities: z.array(identity) })
  .meta({ id: 'ProjectAgentDetail' });
