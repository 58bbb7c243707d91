import { loggedKind } from '../../log/appending/logged-kind.ts';
import { recordEntry } from '../../log/entries.ts';
import { logNames } from '../../log/names.ts';
import { agentStatusEvents } from './agents.ts';

/** What happened to an agent is in its log, see docs/log.md. */
export const loggedStatusEvents = loggedKind(agentStatusEvents, {
  entries: ({ agentId, version, event, actor, reason, at }) => {
    const form = { record: 'agent_status_event', agent_id: agentId, version, event, actor, reason, at };
    return [{ log: logNames.agent(agentId), bytes: recordEntry(form) }];
  },
  olderBy: 'byAgent',
});
