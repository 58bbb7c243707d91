import { agentRecords, agents } from '../domain/control-plane/agents/agents.ts';
import { registrantOf } from '../domain/control-plane/agents/registration.ts';
import { registrationTokens } from '../domain/control-plane/agents/registration-tokens.ts';
import type { GatewayPorts } from '../domain/control-plane/gateway/ports.ts';
import { projectBindings, projectMemberships } from '../domain/control-plane/gateway/project-records.ts';
import {
  auditExchanges,
  pluginEvents,
  stateRecords,
} from '../domain/control-plane/gateway/runtime-records.ts';
import { stateBlobs } from '../domain/control-plane/gateway/state-blobs.ts';
import { users } from '../domain/control-plane/users.ts';
import { agentRoutes } from '../http/control-plane/agents/agents.ts';
import { registrationRoutes, registrationTokenRoutes } from '../http/control-plane/agents/registrations.ts';
import { type GatewayApp, gatewayApps } from '../http/control-plane/gateway-operation.ts';
import type { ControlPlaneApp } from '../http/control-plane/operation.ts';
import { gatewayVerifier } from '../platform/agent-tokens/gateway-credential.ts';
import { registrationVerifier } from '../platform/agent-tokens/registration-token.ts';
import { OrderedIds } from '../platform/ordered-ids.ts';
import { publicUrlOf, type Settings } from '../platform/settings/setting-table.ts';
import type { BearerAttempts } from '../platform/tokens/bearer-attempts.ts';
import type { Store } from '../storage/open.ts';

interface AgentParts {
  readonly store: Pick<Store, 'of'>;
  readonly settings: Settings;
  readonly attempts: Omit<BearerAttempts, 'verifier'>;
  readonly newId: () => string;
  readonly now: () => Date;
}

/** Registers the routes of agents and their registration. @returns the application for the routes of gateways. */
export function openAgents(
  app: ControlPlaneApp,
  { store, settings, attempts, newId, now }: AgentParts,
): GatewayApp {
  const { authRegistrationTokenSecret: secret, authRegistrationTokenIssuer: issuer } = settings;
  const ports = {
    ...agentRecords(store),
    registrationTokens: store.of(registrationTokens),
    users: store.of(users),
    limits: settings,
    newId,
    now,
  };
  const { gateway, registration } = gatewayApps(app, {
    gateway: { ...attempts, verifier: gatewayVerifier(settings.gatewaySecret, now) },
    registration: { ...attempts, verifier: registrationVerifier({ secret, issuer, now }) },
    registrantOf: (jti) => registrantOf(ports, jti),
  });
  registrationTokenRoutes(app, { ...ports, secret, issuer, url: urlOf(settings) });
  agentRoutes(app, ports);
  registrationRoutes(registration, ports);
  return gateway;
}

/** The address of the control plane as agents see it. */
function urlOf(settings: Settings): string {
  const { authIdpRedirectUrl: callback } = settings;
  if (settings.publicUrl !== null || callback === null) return publicUrlOf(settings);
  return new URL('../../..', callback).href.replace(/\/$/, '');
}

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
