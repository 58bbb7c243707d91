import { agents } from '../domain/control-plane/agents/agents.ts';
import type { GatewayPorts } from '../domain/control-plane/gateway/ports.ts';
import { projectBindings, projectMemberships } from '../domain/control-plane/gateway/project-records.ts';
import {
  auditExchanges,
  pluginEvents,
  stateRecords,
} from '../domain/control-plane/gateway/runtime-records.ts';
import { stateBlobs } from '../domain/control-plane/gateway/state-blobs.ts';
import { users } from '../domain/control-plane/users.ts';
import { OrderedIds } from '../platform/ordered-ids.ts';
import type { Store } from '../storage/open.ts';

/** What the gateway routes work with. */
export function gatewayPorts(store: Pick<Store, 'of' | 'sealedContents'>, now: () => Date): GatewayPorts {
  const ids = new OrderedIds();
  return {
    agents: store.of(agents),
    users: store.of(users),
    exchanges: store.of(auditExchanges),
    events: store.of(pluginEvents),
    states: store.of(stateRecords),
    stateBlobs: store.of(stateBlobs),
    memberships: store.of(projectMemberships),
    bindings: store.of(projectBindings),
    sealedContents: store.sealedContents,
    newId: () => ids.next(now().getTime()),
    now,
  };
}
