import { agentLogTileParams, agentParams } from '../../../contract/control-plane/agents.ts';
import { logName } from '../../../contract/integrity/log-name.ts';
import type { Caller } from '../../../domain/control-plane/access.ts';
import type { AgentBindings, Agents } from '../../../domain/control-plane/agents/agents.ts';
import { throwUnknownAgent } from '../../../domain/control-plane/agents/changes.ts';
import { maySee } from '../../../domain/control-plane/agents/visible-agents.ts';
import { logNames } from '../../../domain/log/names.ts';
import { keysOf, type PublishedLogs, publishedNote } from '../../../domain/log/published.ts';
import { errorAnswer, jsonAnswer } from '../../answers.ts';
import { nameOfLog, noteAnswer, noteAnswers, tileAnswer, tileAnswers } from '../../log-answers.ts';
import { type ControlPlaneApp, operation } from '../operation.ts';

const tag = 'Log';

export interface AgentLogRoutes {
  readonly agents: Pick<Agents, 'get'>;
  readonly agentBindings: Pick<AgentBindings, 'page'>;
  readonly publishedLogs: () => Promise<PublishedLogs>;
}

/** The logs of agents, in the form of c2sp.org/tlog-tiles, for those who may see the agent. */
export function agentLogRoutes(app: ControlPlaneApp, ports: AgentLogRoutes): void {
  const viewed = async (principal: Pick<Caller, 'issuer' | 'subject' | 'role'>, id: string) => {
    if (!(await ports.agents.get(id)) || !(await maySee(ports, principal, id))) throwUnknownAgent(id);
    return { logs: await ports.publishedLogs(), name: logNames.agent(id) };
  };

  operation(app, 'GET /log/v1/agents/{id}/checkpoint', {
    access: 'authenticated',
    tag,
    summary: 'Read the newest published checkpoint of the log of an agent',
    description: 'The log has what the agent did: its exchanges, events and states, and its changes.',
    params: agentParams,
    answers: noteAnswers,
    handle: async ({ principal, params: { id } }) => {
      const { logs, name } = await viewed(principal, id);
      return noteAnswer(await publishedNote(logs, name));
    },
  });

  operation(app, 'GET /log/v1/agents/{id}/name', {
    access: 'authenticated',
    tag,
    summary: 'Read how the service log names the log of an agent',
    description: 'Monitors find its heads in the service log by this. Others cannot guess it.',
    params: agentParams,
    answers: {
      200: jsonAnswer('The name and the secret that blinds it', logName),
      404: errorAnswer('The log is empty, or the caller may not see the agent'),
    },
    handle: async ({ principal, params: { id }, answer }) => {
      const { logs, name } = await viewed(principal, id);
      return answer(200, await nameOfLog(logs, name));
    },
  });

  operation(app, 'GET /log/v1/agents/{id}/key', {
    access: 'authenticated',
    tag,
    summary: 'Read the keys that checkpoints of the log of an agent are verified with',
    params: agentParams,
    answers: noteAnswers,
    handle: async ({ principal, params: { id } }) => {
      const { logs, name } = await viewed(principal, id);
      return noteAnswer(keysOf(logs, name));
    },
  });

  operation(app, 'GET /log/v1/agents/{id}/tile/{+tile}', {
    access: 'authenticated',
    tag,
    summary: 'Read a tile of the log of an agent, or a bundle of its entries',
    params: agentLogTileParams,
    answers: tileAnswers,
    handle: async ({ principal, params: { id, tile } }) => {
      const { logs, name } = await viewed(principal, id);
      return await tileAnswer(logs, name, tile, { isPublic: false });
    },
  });
}
