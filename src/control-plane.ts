import packageJson from '../package.json' with { type: 'json' };
import { gatewayPorts, openAgents } from './composition/agents.ts';
import { callersAuthService } from './composition/auth-service-issuer.ts';
import { openModes } from './composition/control-plane-authentication.ts';
import { openLogsForReading } from './composition/log.ts';
import { consolePorts, projectReadPorts } from './composition/project-reads.ts';
import { newTokenSemaphores } from './composition/shared.ts';
import { observedVerifier } from './composition/telemetry/traced-port.ts';
import { watchBudget, watchLimits } from './composition/telemetry/watch-limits.ts';
import { auditRecords } from './domain/audit-log/audit-log.ts';
import { developmentCaller } from './domain/control-plane/access.ts';
import { administrators } from './domain/control-plane/administrators.ts';
import { agentRecords } from './domain/control-plane/agents/agents.ts';
import type { KnownCaller } from './domain/control-plane/known-caller.ts';
import { announceSecret, sessionSecrets } from './domain/control-plane/session-secrets.ts';
import { sessions } from './domain/control-plane/sessions.ts';
import { users } from './domain/control-plane/users.ts';
import { apiDescription } from './http/api-description.ts';
import { agentLogRoutes } from './http/control-plane/agents/agent-log.ts';
import { auditLogRoutes } from './http/control-plane/audit-log.ts';
import { authDiscoveryRoutes } from './http/control-plane/auth-discovery.ts';
import { controlPlaneAuthentication, foreignUi } from './http/control-plane/authentication.ts';
import { consoleRoutes } from './http/control-plane/console/console.ts';
import { gatewayRoutes } from './http/control-plane/gateway.ts';
import { gatewaySecuritySchemes } from './http/control-plane/gateway-operation.ts';
import { meRoutes } from './http/control-plane/me.ts';
import {
  type ControlPlaneApp,
  controlPlaneSecuritySchemes,
  operation,
} from './http/control-plane/operation.ts';
import { accessPages } from './http/control-plane/pages.ts';
import { isAccessPage, isEntry } from './http/control-plane/paths.ts';
import { projectRoutes } from './http/control-plane/projects/runtime.ts';
import { signInRoutes } from './http/control-plane/sign-in.ts';
import { traceRoutes } from './http/control-plane/traces.ts';
import { userRoutes } from './http/control-plane/users.ts';
import { neverKept } from './http/control-plane/visitor.ts';
import { healthRoutes } from './http/health.ts';
import { type Link, linksTo, noSuchPage } from './http/pages.ts';
import { signedInPages } from './http/signed-in-pages.ts';
import { AuditTrail } from './platform/audit-trail/audit-trail.ts';
import { createApp } from './platform/http/app.ts';
import { disabledAuthentication } from './platform/http/authentication.ts';
import { ByteBudget, RequestLimit } from './platform/http/callers.ts';
import type { Log } from './platform/log.ts';
import type { RateLimits } from './platform/rate-limits/rate-limits.ts';
import type { Settings } from './platform/settings/setting-table.ts';
import { signedIn } from './platform/sign-in/session-authentication.ts';
import { noTelemetry, type Telemetry } from './platform/telemetry/telemetry.ts';
import type { Store } from './storage/open.ts';

export interface ControlPlane extends AsyncDisposable {
  readonly app: ControlPlaneApp;
  /** The pages at this address. */
  readonly links: readonly Link[];
}

export interface ControlPlaneOptions {
  readonly now?: () => Date;
  /** Whether the integrity service is at the same address. */
  readonly besideIntegrity?: boolean;
  /** Aborted when the process is about to end. Default: never. */
  readonly stopping?: AbortSignal;
}

const info = {
  title: 'Cairn control plane',
  version: packageJson.version,
  description: 'Sign-in, users, agents, what they did in projects, and the audit log.',
};

/** Resources that the control plane uses and does not close. */
interface ControlPlaneResources {
  readonly store: Pick<
    Store,
    'of' | 'ready' | 'graphs' | 'sealedContents' | 'exchangeSeries' | 'loggedRows' | 'now'
  >;
  readonly rateLimits: RateLimits;
  readonly telemetry?: Telemetry;
}

export async function openControlPlane(
  { store, rateLimits, telemetry = noTelemetry }: ControlPlaneResources,
  settings: Settings,
  log: Log,
  {
    now = () => new Date(),
    besideIntegrity = false,
    stopping = new AbortController().signal,
  }: ControlPlaneOptions = {},
): Promise<ControlPlane> {
  await using opened = new AsyncDisposableStack();
  const { trustedProxies } = settings;
  const authService = await callersAuthService(store, 'control-plane', settings, log);
  const modes = openModes(settings, { authService, besideIntegrity, log, now });
  const { browser, session, bearer, limits, cookies, discovery, uiBaseUrl } = modes;
  const ports = {
    users: store.of(users),
    administrators: store.of(administrators),
    sessions: store.of(sessions),
    auditLog: store.of(auditRecords),
    newId: () => crypto.randomUUID(),
    now,
  };
  const auditTrail = opened.use(
    new AuditTrail<KnownCaller>({
      auditLog: ports.auditLog,
      knowsCallers: true,
      actorOf: ({ issuer, subject, means }) => ({ issuer, subject, means }),
      trustedProxies,
      now,
      log,
    }),
  );
  const requestLimit = new RequestLimit(settings);
  const budget = new ByteBudget(settings);
  watchLimits(telemetry.metrics, { control_plane_requests: requestLimit });
  watchBudget(telemetry.metrics, 'control-plane', budget);
  const attempts = { rateLimits, turns: newTokenSemaphores(settings), trustedProxies };
  const app = createApp({
    log,
    auditTrail,
    requestLimit,
    budget,
    telemetry,
    showCallStack: settings.debugErrors,
    authentication: settings.authEnabled
      ? controlPlaneAuthentication({
          bearer: { ...bearer, ...attempts, verifier: observedVerifier(bearer.verifier, telemetry) },
          session,
          trustedProxies,
          ...ports,
        })
      : disabledAuthentication<KnownCaller>({
          caller: { ...developmentCaller, user: null, session: null },
          anyHost: settings.allowUnauthenticated,
          isPage: (path) => isEntry(path) || isAccessPage(path),
        }),
  });
  if (session) {
    await announceSecret(store.of(sessionSecrets), session.secretId);
    signedInPages(app, (context) => signedIn(context, session, ports));
  }
  app.use('/v1/*', neverKept);
  if (modes.foreignUi !== null) app.use('/v1/*', foreignUi(modes.foreignUi));
  healthRoutes(app, operation, 'GET /health', { ready: () => store.ready(), stopping });
  authDiscoveryRoutes(app, discovery);
  signInRoutes(app, {
    ...ports,
    browser,
    rateLimits,
    trustedProxies,
    newSecret: () => Buffer.from(crypto.getRandomValues(new Uint8Array(32))).toString('base64url'),
  });
  meRoutes(app, { ...ports, limits, cookies });
  userRoutes(app, { ...ports, limits: settings });
  auditLogRoutes(app, ports);
  const gateway = openAgents(app, { ...ports, store, settings, attempts });
  const logs = await openLogsForReading(store, settings);
  agentLogRoutes(app, { ...agentRecords(store), publishedLogs: logs.published });
  const reports = { ...gatewayPorts(store, now), limits: settings };
  gatewayRoutes(gateway, reports);
  traceRoutes(gateway, { ...reports, services: settings.traceAgents ?? new Map() });
  const projectReads = projectReadPorts(store, settings, log, now);
  projectRoutes(app, projectReads);
  const links = linksTo({
    hasLineages: besideIntegrity,
    hasConsole: browser !== null || !settings.authEnabled,
    hasAccounts: browser !== null,
  });
  accessPages(app, { ...ports, uiBaseUrl, links, discovery, limits });
  consoleRoutes(app, {
    ...consolePorts(store, settings, projectReads),
    logs: { reading: logs.reading, records: logs.records },
    links,
    besideIntegrity,
  });
  noSuchPage(app, links);
  const securitySchemes = {
    ...(settings.authEnabled && controlPlaneSecuritySchemes),
    ...gatewaySecuritySchemes,
  };
  apiDescription(app, info, { securitySchemes, links });
  const stack = opened.move();
  return { app, links, [Symbol.asyncDispose]: () => stack.disposeAsync() };
}
