import type { RecordStore } from '../../collections/collection.ts';
import { agentBindings, agentKeys, agentStatusEvents, agents } from './agents.ts';

/** Everything that a store knows about agents. */
export function agentRecords(store: RecordStore) {
  return {
    agents: store.of(agents),
    agentKeys: store.of(agentKeys),
    agentBindings: store.of(agentBindings),
    agentStatusEvents: store.of(agentStatusEvents),
  };
}
