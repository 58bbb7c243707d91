import { auditRecords } from '../domain/audit-log/audit-log.ts';
import { agentKeys, agentRecords, agents } from '../domain/control-plane/agents/agents.ts';
import {
  bindingOf,
  projectBindings,
  projectMemberships,
} from '../domain/control-plane/gateway/project-records.ts';
import {
  auditExchanges,
  pluginEvents,
  stateRecords,
} from '../domain/control-plane/gateway/runtime-records.ts';
import { stateBlobs } from '../domain/control-plane/gateway/state-blobs.ts';
import type { ProjectAuthority } from '../domain/control-plane/projects/project-access.ts';
import { users } from '../domain/control-plane/users.ts';
import type { ActivityPorts } from '../http/control-plane/console/agent-activity.ts';
import type { ConsolePorts } from '../http/control-plane/console/console.ts';
import type { RuntimePorts } from '../http/control-plane/projects/runtime.ts';
import type { Log } from '../platform/log.ts';
import type { Settings } from '../platform/settings/setting-table.ts';
import { AuthService } from '../platform/tokens/auth-service.ts';
import type { Store } from '../storage/open.ts';

export function projectReadPorts(
  store: Pick<Store, 'of' | 'sealedContents' | 'exchangeSeries'>,
  settings: Settings,
  log: Log,
  now: () => Date,
): RuntimePorts {
  return {
    bindingOf: (project: string) => bindingOf(store.of(projectBindings), project),
    memberships: store.of(projectMemberships),
    agents: store.of(agents),
    agentKeys: store.of(agentKeys),
    exchanges: store.of(auditExchanges),
    pluginEvents: store.of(pluginEvents),
    states: store.of(stateRecords),
    stateBlobs: store.of(stateBlobs),
    sealedContents: store.sealedContents,
    exchangeSeries: store.exchangeSeries,
    authority: authorityOf(settings, log, now),
    now,
  };
}

/** Whatever the bearer mode, the auth service decides about projects of the governance console. */
function authorityOf(settings: Settings, log: Log, now: () => Date): ProjectAuthority | null {
  const baseUrl = settings.authBearerAuthServiceBaseUrl ?? settings.adapterAuthServiceBaseUrl;
  if (baseUrl === null) return null;
  const onError = (err: Error) => log.warn({ err }, err.message);
  const service = new AuthService({ baseUrl, issuer: settings.authServiceIssuer ?? baseUrl, now, onError });
  // A cached answer would outlive a withdrawn permission, and an outage.
  return { allows: (...question) => service.authorize(...question, true) };
}

export function consolePorts(
  store: Pick<Store, 'of' | 'graphs'>,
  settings: Settings,
  projectReads: ActivityPorts,
): Omit<ConsolePorts, 'links' | 'besideIntegrity' | 'logs'> {
  return {
    ...projectReads,
    ...agentRecords(store),
    auditLog: store.of(auditRecords),
    graphs: store.graphs,
    users: store.of(users),
    projectBindings: store.of(projectBindings),
    mintsTokens: settings.authRegistrationTokenSecret !== null,
  };
}
