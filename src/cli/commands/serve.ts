import { once } from 'node:events';
import { flushCompileCache } from 'node:module';
import { setTimeout as delay } from 'node:timers/promises';
import type { Command } from 'commander';
import { listen } from '../../platform/http/server.ts';
import { openLog } from '../../platform/log.ts';
import { startNotices, unauthenticatedServices } from '../../platform/settings/rules.ts';
import type { Settings } from '../../platform/settings/setting-table.ts';
import { readSettings, unknownVariables } from '../../platform/settings/settings.ts';
import {
  addSettingOptions,
  type Serving,
  type SettingFlags,
  servedBy,
  serviceArgument,
} from '../setting-options.ts';
import { exitCodes, failUsage } from '../terminal/failure.ts';
import type { Io } from '../terminal/io.ts';

/** How long closing may take after the last request and job. */
const closeMs = 3_000;

const examples = `
"cairn config" prints all settings, including those without an option.

Examples:
  $ cairn serve
  $ cairn serve --port 0 --data-dir /var/lib/cairn
  $ CAIRN_LOG_LEVEL=warn cairn serve integrity
  $ cairn serve control-plane -auth-enabled=false
  $ CAIRN_MONGODB_URL=… CAIRN_REDIS_URL=… cairn serve jobs
  $ CAIRN_ADMISSION_SERVICE_URL=… CAIRN_ADMISSION_POLICIES_DIR=… cairn serve admission`;

export function serveCommand(program: Command, io: Io): void {
  const about =
    'integrity or control-plane: only that API; jobs: only background work; all: everything of these; admission: a webhook that checks the images of pods';
  const command = program.command('serve').description('start the service');
  addSettingOptions(command.addArgument(serviceArgument(about)).addHelpText('after', examples));
  command.action(async (serving: Serving, flags: SettingFlags) => {
    if (serving === 'jobs') await serveJobs(io, flags);
    else if (serving === 'admission') await serveAdmission(io, flags);
    else await serve(io, flags, serving);
  });
}

/** Serves until SIGINT or SIGTERM, then finishes running requests and jobs. A second signal ends the process at once. */
export async function serve(
  io: Io,
  flags: SettingFlags,
  serving: Exclude<Serving, 'jobs' | 'admission'> = 'all',
) {
  const { settings, log } = start(io, flags, serving);
  // Imported here, because it loads most of the program.
  const { openServices } = await import('../../composition/services.ts');
  const worksOnJobs = serving === 'all';
  const { host, port, maxConnections } = settings;
  // Before a data folder is made, which nobody wants if the port is used.
  await (await listen({ fetch: () => new Response(null, { status: 503 }), host, port })).stop(0);
  using closing = new DisposableStack();
  await using services = await openServices(settings, log, servedBy[serving], { worksOnJobs });
  const { fetch, place: data } = services;
  const server = await listen({ fetch, host, port, maxConnections });
  for (const service of unauthenticatedServices(settings, servedBy[serving]))
    log.warn(
      `Authentication is disabled for ${service}: everybody who can reach this address may do everything.`,
    );
  const signal = AbortSignal.any([io.stopSignal(), services.failure]);
  log.info(
    { url: server.url, data, pages: `${server.url}/ui`, docs: `${server.url}/docs` },
    `Cairn listens on ${server.url}`,
  );
  // A process that is killed does not write the cache at its end.
  flushCompileCache();
  if (!signal.aborted) await once(signal, 'abort');
  const { failure } = services;
  if (failure.aborted) {
    log.fatal({ err: failure.reason }, 'The service cannot continue.');
    await server.stop(0);
  } else {
    log.info({ signal: String(signal.reason) }, 'Stopping after the running requests and jobs.');
    const delayMs = settings.shutdownDelay ?? 0;
    const graceMs = graceOf(settings);
    await Promise.all([server.stop(graceMs, delayMs), atMost(delayMs + graceMs, services.drain())]);
  }
  const late = setTimeout(() => {
    log.fatal(`Closing took more than ${closeMs} ms.`);
    io.exit(exitCodes.no);
  }, closeMs);
  closing.defer(() => clearTimeout(late));
  failure.throwIfAborted();
}

/** Works on jobs until SIGINT or SIGTERM. Another process takes over unfinished jobs. */
async function serveJobs(io: Io, flags: SettingFlags): Promise<void> {
  const { settings, log } = start(io, flags, 'jobs');
  const { openJobService, sharesJobs } = await import('../../jobs.ts');
  if (!sharesJobs(settings))
    failUsage(
      '"cairn serve jobs" needs Redis. Set CAIRN_REDIS_URL, or run "cairn serve", which works on jobs itself.',
    );
  await using service = await openJobService(settings, log);
  const { failure } = service;
  const signal = AbortSignal.any([io.stopSignal(), failure]);
  log.info('Cairn works on jobs');
  flushCompileCache();
  if (!signal.aborted) await once(signal, 'abort');
  if (failure.aborted) log.fatal({ err: failure.reason }, 'The process cannot continue.');
  else log.info({ signal: String(signal.reason) }, 'Stopping after the running jobs.');
  await atMost(failure.aborted ? 0 : graceOf(settings), service.drain());
  failure.throwIfAborted();
}

/** Answers the API server of a cluster until SIGINT or SIGTERM. */
async function serveAdmission(io: Io, flags: SettingFlags): Promise<void> {
  const { settings, log } = start(io, flags, 'admission');
  const { openAdmission } = await import('../../admission.ts');
  const signal = io.stopSignal();
  await using admission = await openAdmission(settings, log, signal);
  const { server, policies } = admission;
  log.info({ url: server.url, policies }, `The admission webhook listens on ${server.url}`);
  flushCompileCache();
  if (!signal.aborted) await once(signal, 'abort');
  log.info({ signal: String(signal.reason) }, 'Stopping after the running reviews.');
  await server.stop(graceOf(settings), settings.shutdownDelay ?? 0);
}

function graceOf({ shutdownTimeout }: Settings): number {
  return Math.max(0, shutdownTimeout - closeMs);
}

async function atMost(ms: number, work: Promise<void>): Promise<void> {
  const end = new AbortController();
  await Promise.race([work, delay(ms, undefined, { signal: end.signal })]).finally(() => end.abort());
}

function start(io: Io, flags: SettingFlags, serving: Serving) {
  const settings = readSettings(io.env, flags, servedBy[serving]);
  const log = openLog(settings, io.stderr);
  for (const name of unknownVariables(io.env))
    log.warn({ variable: name }, `${name} is not a setting of this version. Check its spelling.`);
  for (const sentence of startNotices(settings, servedBy[serving])) log.warn(sentence);
  return { settings, log };
}
