import packageJson from '../package.json' with { type: 'json' };
import { callersAuthService } from './composition/auth-service-issuer.ts';
import { sessionMode } from './composition/browser-sessions.ts';
import { credentialPorts } from './composition/credentials.ts';
import { evidencePorts } from './composition/evidence.ts';
import { authenticationOf, openAuditTrail } from './composition/integrity-authentication.ts';
import { keepLogs, logPorts, openServiceLogs } from './composition/log.ts';
import { namePorts } from './composition/names.ts';
import { followRunTimeLimits } from './composition/run-time-limits.ts';
import { newTokenSemaphores, openShared, type Shared } from './composition/shared.ts';
import { openSignatures } from './composition/signatures.ts';
import { openContexts, openServiceSigner, openStatementPool } from './composition/signing.ts';
import { observedIdentifier } from './composition/telemetry/observed-identifier.ts';
import { watchBudget, watchLimits } from './composition/telemetry/watch-limits.ts';
import { upgradeStore } from './composition/upgrades.ts';
import type { Principal } from './domain/access/access.ts';
import { assertSameSecret, sessionSecrets } from './domain/control-plane/session-secrets.ts';
import { sessions } from './domain/control-plane/sessions.ts';
import { users } from './domain/control-plane/users.ts';
import { reachOf } from './domain/integrity/access/content-reach.ts';
import { blobHashes } from './domain/integrity/blobs/blob-hashes.ts';
import { limitedBlobs } from './domain/integrity/blobs/blob-store.ts';
import { bundledTexts } from './domain/integrity/contexts/bundled.ts';
import { ContextKeeper } from './domain/integrity/contexts/contexts.ts';
import { governanceContext, ownContext } from './domain/integrity/contexts/own.ts';
import { statusEntries } from './domain/integrity/credentials/status-entries.ts';
import { runTimeLimits } from './domain/integrity/dynamic-config.ts';
import { sharedTurns } from './domain/integrity/exports/export-jobs.ts';
import {
  certificateRequests,
  governanceDocuments,
  governanceRecords,
} from './domain/integrity/governance/governance-records.ts';
import { projectPages } from './domain/integrity/graphs/graphs.ts';
import { attachedBlobs } from './domain/integrity/manifest/attached-blobs.ts';
import { didWebOf } from './domain/integrity/proofs/did-web.ts';
import { didRegistrations } from './domain/integrity/statements/did-registrations.ts';
import { AttemptEnds } from './domain/jobs/attempt-ends.ts';
import { jobs } from './domain/jobs/jobs.ts';
import { Semaphore } from './domain/semaphore.ts';
import { apiDescription, type Described } from './http/api-description.ts';
import { healthRoutes } from './http/health.ts';
import { blobRoutes } from './http/integrity/blobs/blobs.ts';
import { checkRoutes } from './http/integrity/checks.ts';
import { credentialStatusRoutes } from './http/integrity/credentials/credential-status.ts';
import { credentialRoutes, credentialVerificationRoutes } from './http/integrity/credentials/credentials.ts';
import { didDocumentRoutes } from './http/integrity/did-document.ts';
import { dynamicConfigRoutes } from './http/integrity/dynamic-config.ts';
import { evidenceRoutes } from './http/integrity/evidence.ts';
import { governanceRoutes } from './http/integrity/governance/governance.ts';
import { graphRoutes } from './http/integrity/graphs.ts';
import { lineageRoutes } from './http/integrity/lineage/lineage.ts';
import { logRoutes } from './http/integrity/log/log.ts';
import { logOverviewRoutes } from './http/integrity/log/log-overview.ts';
import { proofRoutes } from './http/integrity/log/proofs.ts';
import { manifestExportRoutes } from './http/integrity/manifests/manifest-exports.ts';
import { manifestRoutes } from './http/integrity/manifests/manifests.ts';
import { integritySecuritySchemes, operation } from './http/integrity/operation.ts';
import { reportRoutes } from './http/integrity/report.ts';
import { runRoutes } from './http/integrity/runs.ts';
import { findRoutes, statementSearchRoutes } from './http/integrity/statements/search.ts';
import { statementRoutes } from './http/integrity/statements/statements.ts';
import { thingRoutes } from './http/integrity/statements/things.ts';
import { verificationRoutes } from './http/integrity/statements/verification.ts';
import { utilityRoutes } from './http/integrity/utilities.ts';
import { type Link, linksTo, noSuchPage } from './http/pages.ts';
import { signedInPages } from './http/signed-in-pages.ts';
import { isPage, uiRoutes } from './http/statement-pages.ts';
import { openJobQueue, sharesJobs, workOnJobs } from './jobs.ts';
import { type App, createApp } from './platform/http/app.ts';
import { ByteBudget, RequestLimit } from './platform/http/callers.ts';
import type { Log } from './platform/log.ts';
import {
  isUnauthenticated,
  publicUrlOf,
  type Settings,
  sharesTokens,
} from './platform/settings/setting-table.ts';
import { signedIn } from './platform/sign-in/session-authentication.ts';
import { noTelemetry } from './platform/telemetry/telemetry.ts';

export interface Integrity extends AsyncDisposable {
  readonly app: App;
  /** Description of the store for a log. */
  readonly place: string;
  /** See `JobQueue.drain`. */
  drainJobs(): Promise<void>;
}

export interface IntegrityOptions {
  readonly worksOnJobs: boolean;
  /** Services at the same address, which the API description includes. */
  readonly neighbours: readonly Described[];
  /** The pages at the same address. */
  readonly links: readonly Link[];
  /** Whether the control plane is at the same address, on the same store. */
  readonly besideControlPlane: boolean;
  /** Aborted when the process is about to end. */
  readonly stopping: AbortSignal;
}

/** The pages of the integrity service alone. */
export const integrityLinks = linksTo({ hasLineages: true, hasConsole: false, hasAccounts: false });

/** The pages of both services, if people sign in by browser. */
export const allLinks = linksTo({ hasLineages: true, hasConsole: true, hasAccounts: true });

/** More exports at once would not be faster. */
const exportsAtOnce = 2;

/** The largest ones take tens of MiB each, and all share one thread. */
const lineagesAtOnce = 8;

/** Opens the integrity service alone, with a store of its own. */
export async function openIntegrity(settings: Settings, log: Log): Promise<Integrity> {
  await using opened = new AsyncDisposableStack();
  const shared = opened.use(await openShared(settings, log, ['integrity']));
  const { app, place, drainJobs } = opened.use(
    await openIntegrityOn(shared, settings, log, {
      worksOnJobs: true,
      neighbours: [],
      links: integrityLinks,
      besideControlPlane: false,
      stopping: new AbortController().signal,
    }),
  );
  const stack = opened.move();
  return { app, place, drainJobs, [Symbol.asyncDispose]: () => stack.disposeAsync() };
}

/** Opens the threads, jobs and routes of the integrity service. Disposing does not close shared resources. */
export async function openIntegrityOn(
  { store, rateLimits, telemetry = noTelemetry }: Shared,
  settings: Settings,
  log: Log,
  { worksOnJobs, neighbours, links, besideControlPlane, stopping }: IntegrityOptions,
): Promise<Integrity> {
  await using opened = new AsyncDisposableStack();
  const signer = await openServiceSigner(settings, log);
  const limits = opened.use(await followRunTimeLimits(store.of(runTimeLimits), settings.limitWait));
  const blobsOf = (caller?: string) => limitedBlobs(store.blobs, limits.blobs, caller);
  const { folder, registry } = openContexts(settings, store.blobs);
  const pool = opened.use(openStatementPool(settings, log, registry));
  const identifier = observedIdentifier(pool, telemetry);
  const contexts = new ContextKeeper(store.blobs, registry);
  // Clients can read the service's own contexts before anything uses them.
  const ownContexts = registry.world.contextSet([
    ...ownContext.versions.keys(),
    ...governanceContext.versions.keys(),
  ]);
  await contexts.keep(ownContexts);
  const signatures = await openSignatures(store, { identifier, signer }, settings);
  await upgradeStore({ store, verifying: signatures.verifying }, log);
  const queue = opened.use(await openJobQueue(settings, log));
  const attemptEnds = new AttemptEnds();
  const work = { ...settings, log, identifier, signer, telemetry };
  const logs = await openServiceLogs(store, settings, log);
  const works = worksOnJobs || !sharesJobs(settings);
  if (works) opened.use(workOnJobs(store, attemptEnds.announced(queue), work));
  if (works) opened.use(keepLogs(store, logs, log));
  const credentials = {
    ...credentialPorts(store, { identifier, signer, queue }, settings),
    limits: settings,
  };
  const ports = {
    statements: store.statements,
    statementIndex: store.statementIndex,
    ...namePorts(store, signatures.ownDids, settings.serviceName),
    graphs: store.graphs,
    graphContents: store.graphContents,
    ...logPorts(store, logs, settings),
    graphImports: store.graphImports,
    spools: store.spools,
    registry,
    blobs: blobsOf(),
    blobsOf,
    unlimitedBlobs: store.blobs,
    writes: limits.blobs.write,
    exportTurns: new Semaphore(exportsAtOnce, { waitMs: settings.limitWait }),
    lineages: new Semaphore(lineagesAtOnce, { waitMs: settings.limitWait }),
    reach: reachOf(settings.blobScope, store.statementIndex, store.folders),
    sameBytes: store.sameBytes,
    folders: store.folders,
    runTimeLimits: limits,
    identifier,
    json: identifier,
    contexts,
    staticContexts: async () => new Map([...((await folder?.all()) ?? []), ...bundledTexts()]),
    signer,
    allocation: credentials.allocation,
    ...signatures,
    newGraphId: () => crypto.randomUUID(),
    newId: () => crypto.randomUUID(),
    attachedBlobs: store.of(attachedBlobs),
    blobHashes: store.of(blobHashes),
    jobs: store.of(jobs),
    attemptEnds,
    exportRequests: sharedTurns(),
    didRegistrations: store.of(didRegistrations),
    ...evidencePorts(opened, store, settings, log),
    results: store.exportResults,
    queue,
    maxStatementBytes: settings.maxStatementBytes,
    now: () => new Date(),
    ready: async () => {
      await Promise.all([store.ready(), contexts.documents(ownContexts.cid)]);
    },
    limits: settings,
  };
  const requestLimit = new RequestLimit(settings);
  const budget = new ByteBudget(settings);
  watchLimits(telemetry.metrics, {
    requests: requestLimit,
    blob_fetch: limits.blobs.fetch,
    blob_write: limits.blobs.write,
    export: ports.exportTurns,
    lineage: ports.lineages,
  });
  watchBudget(telemetry.metrics, 'integrity', budget);
  const isAuthenticated = !isUnauthenticated('integrity', settings);
  const auditTrail = opened.use(openAuditTrail(store, settings, log));
  const takesSessions = besideControlPlane && sharesTokens(settings);
  const session = {
    mode: takesSessions ? sessionMode(settings) : null,
    ports: { sessions: store.of(sessions), users: store.of(users), now: ports.now },
  };
  if (session.mode) await assertSameSecret(store.of(sessionSecrets), session.mode.secretId);
  const app = createApp<Principal>({
    log,
    auditTrail,
    requestLimit,
    budget,
    telemetry,
    authentication: authenticationOf(settings, log, {
      telemetry,
      rateLimits,
      turns: newTokenSemaphores(settings),
      isPage,
      projects: (after) => projectPages(store.graphs, after),
      ...session.ports,
      sessionMode: session.mode,
      authService: await callersAuthService(store, 'integrity', settings, log),
    }),
    showCallStack: settings.debugErrors,
  });
  statementRoutes(app, ports);
  verificationRoutes(app, ports);
  blobRoutes(app, ports);
  evidenceRoutes(app, ports);
  utilityRoutes(app, ports);
  graphRoutes(app, ports);
  manifestRoutes(app, { ...ports, stopping });
  manifestExportRoutes(app, { ...ports, stopping });
  findRoutes(app, ports);
  statementSearchRoutes(app, ports);
  thingRoutes(app, ports);
  lineageRoutes(app, ports);
  runRoutes(app, ports);
  const trusting = ports.statementVerifying;
  reportRoutes(app, { ...ports, trusting, publicUrl: () => publicUrlOf(settings) });
  const governance = {
    ...ports,
    trusting,
    governanceDocuments: store.of(governanceDocuments),
    governanceRecords: store.of(governanceRecords),
    certificateRequests: store.of(certificateRequests),
    statusEntries: store.of(statusEntries),
    issuing: credentials.issuing,
  };
  checkRoutes(app, governance);
  governanceRoutes(app, governance);
  dynamicConfigRoutes(app, ports);
  credentialRoutes(app, credentials);
  credentialStatusRoutes(app, credentials);
  credentialVerificationRoutes(app, credentials);
  logOverviewRoutes(app, ports);
  logRoutes(app, { ...ports, publicLog: settings.publicLog });
  proofRoutes(app, { ...ports, stopping });
  didDocumentRoutes(app, { signer, didWeb: didWebOf(publicUrlOf(settings)) });
  healthRoutes(app, operation, 'GET /health/v1', { ...ports, stopping });
  if (session.mode) signedInPages(app, (context) => signedIn(context, session.mode, session.ports));
  uiRoutes(app, { ...ports, links });
  noSuchPage(app, links);
  const info = {
    title: 'Cairn integrity service',
    version: packageJson.version,
    description: 'Statements, blobs and graphs, addressed by their content, and credentials.',
  };
  const title = neighbours.length > 0 ? 'Cairn' : info.title;
  const securitySchemes = integritySecuritySchemes({ isAuthenticated, takesSessions });
  apiDescription(app, { ...info, title }, { securitySchemes, links, others: neighbours });
  const stack = opened.move();
  return {
    app,
    place: store.place,
    drainJobs: () => queue.drain(),
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  };
}
