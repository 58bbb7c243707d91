import { z } from 'zod';
import { collection, type RecordStore, type RecordsOf } from '../../collections/collection.ts';
import { isLogged } from '../../log/appending/logged-kind.ts';

const time = z.int();
const name = z.string().min(1);

/** What happened to an agent. */
export const agentEvent = z.enum(['registered', 'registered_again', 'revoked', 'restored', 'handed_over']);

const actor = z.object({ issuer: z.string(), subject: z.string().nullable() });

/**
 * An agent of a subject. Each change adds one to its version, and is the source of the records with this version
 * below. They are stored before the next change, see `changes.ts`.
 */
export const agents = collection('agents', {
  shape: z.object({
    /** See `agentIdOf`. */
    id: name,
    /** Whose agent it is: who minted the token with which it registered first, or to whom it was handed over. */
    issuer: name,
    subject: name,
    handle: z.string().nullable(),
    name: z.string(),
    /** The DID of the current key. */
    did: z.string().nullable(),
    state: z.enum(['active', 'revoked']),
    version: z.int(),
    createdAt: time,
    /** The time of the last change. */
    changedAt: time,
    lastChange: z.object({ event: agentEvent, actor, reason: z.string().nullable() }),
  }),
  key: 'id',
  indexes: {
    byCreation: ['createdAt'],
    bySubject: ['issuer', 'subject', 'createdAt'],
    byState: ['state', 'createdAt'],
    byDid: ['did', 'createdAt'],
  },
});

export type Agent = Readonly<z.output<typeof agents.shape>>;
export type Agents = RecordsOf<typeof agents>;
export type AgentState = Agent['state'];

/** A key with which an agent has registered. Its id is made of the agent's id and version. */
export const agentKeys = collection('agent_keys', {
  shape: z.object({
    id: name,
    agentId: name,
    version: z.int(),
    did: name,
    addedAt: time,
    retiredAt: time.nullable(),
  }),
  key: 'id',
  indexes: { byAgent: ['agentId', 'version'] },
  order: 'descending',
});

export type AgentKey = Readonly<z.output<typeof agentKeys.shape>>;
export type AgentKeys = RecordsOf<typeof agentKeys>;

/** A subject who may see an agent while the binding is active. */
export const agentBindings = collection('agent_bindings', {
  shape: z.object({
    id: name,
    agentId: name,
    issuer: name,
    subject: name,
    state: z.enum(['active', 'ended']),
    createdAt: time,
    endedAt: time.nullable(),
  }),
  key: 'id',
  indexes: {
    bySubject: ['issuer', 'subject', 'state', 'createdAt'],
    byAgent: ['agentId', 'createdAt'],
    byViewer: ['agentId', 'issuer', 'subject', 'state'],
  },
});

export type AgentBinding = Readonly<z.output<typeof agentBindings.shape>>;
export type AgentBindings = RecordsOf<typeof agentBindings>;

/** One change of an agent. Its id is made of the agent's id and version. Nothing changes or removes it, see also `isLogged`. */
export const agentStatusEvents = collection('agent_status_events', {
  shape: z.object({
    id: name,
    agentId: name,
    version: z.int(),
    event: agentEvent,
    actor,
    reason: z.string().nullable(),
    at: time,
    isLogged,
  }),
  key: 'id',
  indexes: { byAgent: ['agentId', 'version'], unlogged: ['at'] },
  partial: { unlogged: { isLogged: false } },
  order: 'descending',
});

export type AgentStatusEvent = Readonly<z.output<typeof agentStatusEvents.shape>>;
export type AgentStatusEvents = RecordsOf<typeof agentStatusEvents>;

/** Everything that a store knows about agents. */
export function agentRecords(store: RecordStore) {
  return {
    agents: store.of(agents),
    agentKeys: store.of(agentKeys),
    agentBindings: store.of(agentBindings),
    agentStatusEvents: store.of(agentStatusEvents),
  };
}
