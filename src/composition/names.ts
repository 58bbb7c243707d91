import { exchangesOfAgents } from '../domain/control-plane/agents/agent-exchanges.ts';
import { agentNames, nameOf, roleOf } from '../domain/control-plane/agents/agent-names.ts';
import { agentRecords } from '../domain/control-plane/agents/agents.ts';
import { listAgents } from '../domain/control-plane/agents/visible-agents.ts';
import {
  bindingOf,
  projectBindings,
  projectMemberships,
} from '../domain/control-plane/gateway/project-records.ts';
import { type AuditExchange, auditExchanges } from '../domain/control-plane/gateway/runtime-records.ts';
import { users } from '../domain/control-plane/users.ts';
import { graphNames, knownNames, serviceName } from '../domain/integrity/names/known-names.ts';
import type { NameIndex } from '../domain/integrity/names/name-index.ts';
import type { StoredFactPorts } from '../domain/integrity/policies/gathering/stored.ts';
import type { AgentSearch } from '../http/integrity/statements/things.ts';
import type { Store } from '../storage/open.ts';

/** What things are called, and what is called so. @param ownDids of the service. */
export function namePorts(store: Store, ownDids: ReadonlySet<string>, ownName: string) {
  return {
    names: { ...store.names, of: namesOf(store, ownDids, ownName) },
    search: store.search,
    agentSearch: agentSearch(store),
    agentExchanges: agentExchanges(store),
  };
}

/** The names of things, graphs, agents and people, and of the service itself. */
function namesOf(store: Store, ownDids: ReadonlySet<string>, ownName: string): NameIndex['of'] {
  const naming = { ...agentRecords(store), users: store.of(users) };
  return knownNames(
    store.names.of,
    graphNames(store.graphs),
    async (ids, { viewer }) => (viewer ? await agentNames(naming, ids, viewer) : new Map()),
    serviceName(ownDids, ownName),
  );
}

/** Finds agents of the control plane, if it uses the same store. */
function agentSearch(store: Store): AgentSearch {
  const naming = { ...agentRecords(store), users: store.of(users) };
  return async (text, page, { issuer, subject }) => {
    const viewer = { issuer, subject, role: await roleOf(naming, { issuer, subject }) };
    const { records, next } = await listAgents(naming, viewer, { state: null, text }, page);
    const agents = records.map((agent) => ({ id: agent.id, name: nameOf(agent) }));
    return { agents, ...(next !== undefined && { next }) };
  };
}

/** The exchanges of agents as facts for policies, if the control plane uses the same store. */
export function agentExchanges(store: Store): StoredFactPorts['agentExchanges'] {
  const ports = {
    ...agentRecords(store),
    users: store.of(users),
    memberships: store.of(projectMemberships),
    exchanges: store.of(auditExchanges),
    bindingOf: (project: string) => bindingOf(store.of(projectBindings), project),
  };
  return async (dids, viewer) => {
    const found = await exchangesOfAgents(ports, dids, viewer);
    const factOf = ({ exchangeKey: id, model, outcome: status, occurredAt }: AuditExchange) => ({
      id,
      ...(model !== null && { name: model }),
      status,
      at: new Date(occurredAt).toISOString(),
    });
    return new Map(
      found
        .entries()
        .map(([did, { exchanges, isCut }]) => [did, { exchanges: exchanges.map(factOf), isCut }]),
    );
  };
}
