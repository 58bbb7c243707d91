import { agentNames } from '../domain/control-plane/agents/agent-names.ts';
import { agentRecords } from '../domain/control-plane/agents/agents.ts';
import { users } from '../domain/control-plane/users.ts';
import { graphNames, knownNames, serviceName } from '../domain/integrity/names/known-names.ts';
import type { NameIndex } from '../domain/integrity/names/name-index.ts';
import type { Store } from '../storage/open.ts';

/** The names of things, graphs, agents and people, and of the service itself. @param ownDids of the service. */
export function namesOf(store: Store, ownDids: ReadonlySet<string>, ownName: string): NameIndex['of'] {
  const naming = { ...agentRecords(store), users: store.of(users) };
  return knownNames(
    store.names.of,
    graphNames(store.graphs),
    async (ids, { viewer }) => (viewer ? await agentNames(naming, ids, viewer) : new Map()),
    serviceName(ownDids, ownName),
  );
}
