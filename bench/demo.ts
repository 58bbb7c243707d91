import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { Command } from 'commander';
import { exitCodeOf, explanationOf } from '../src/cli/terminal/explanation.ts';
import { failUsage } from '../src/cli/terminal/failure.ts';
import { stopped } from '../src/cli/terminal/io.ts';
import { processIo } from '../src/cli/terminal/process-io.ts';
import { openServices, type Services } from '../src/composition/services.ts';
import { isLoopback } from '../src/platform/http/addresses.ts';
import { listen } from '../src/platform/http/server.ts';
import { openLog } from '../src/platform/log.ts';
import type { Settings } from '../src/platform/settings/setting-table.ts';
import { readSettings } from '../src/platform/settings/settings.ts';
import { openStore } from '../src/storage/open.ts';
import { registerAgents } from './demo/agents.ts';
import { anonymousCallers, signedInCallers } from './demo/callers.ts';
import { fill } from './demo/fill.ts';
import type { DemoProvider } from './demo/provider.ts';
import { signInTable } from './demo/sign-in-table.ts';

const data = join(import.meta.dirname, '..', 'data');
const defaults = {
  CAIRN_LOG_LEVEL: 'warn',
  CAIRN_GATEWAY_SECRET: randomBytes(32).toString('base64url'),
};
const alone = { CAIRN_DATA_DIR: join(data, 'demo'), CONTROL_PLANE_AUTH_ENABLED: 'false' };
const withPeople = { CAIRN_DATA_DIR: join(data, 'demo-sign-in') };
/** Who brings in the agents of a demo without people. */
const nobody = { issuer: 'https://idp.example', subject: 'ada@example.com' };
const graceMs = 5_000;

/**
 * Starts both services on their own folder, stores the lineage of this repository, models and some agents, and serves
 * them. With `--sign-in` it starts an OpenID provider, too, and everybody has to sign in.
 */
async function demo(): Promise<void> {
  const startedAt = performance.now();
  const { signIn: signsIn = false } = new Command('npm run demo --')
    .description('Start both services with the lineage of this repository, models and some agents.')
    .option('--sign-in', 'start an OpenID provider, too, so that everybody has to sign in')
    .allowExcessArguments(false)
    .exitOverride()
    .parse()
    .opts<{ signIn?: boolean }>();
  const io = processIo();
  await using opened = new AsyncDisposableStack();
  // The address is part of the settings, so the server listens before the services exist.
  let services: Services | undefined;
  const { host, port } = readSettings({ ...defaults, ...alone, ...io.env });
  if (signsIn && !isLoopback(host))
    failUsage(`The people of the demo sign in on this machine only, but CAIRN_HOST is "${host}". Unset it.`);
  const server = await listen({
    fetch: (request, bindings) => services?.fetch(request, bindings) ?? new Response(null, { status: 503 }),
    host,
    port,
  });
  opened.defer(async () => {
    await server.stop(graceMs);
    await services?.[Symbol.asyncDispose]();
  });
  const { url } = server;
  const providerPort = port === 0 ? 0 : port + 1;
  const provider = signsIn ? opened.use(await startProvider(providerPort, url)) : null;
  const settings = readSettings({
    ...defaults,
    ...(signsIn ? withPeople : alone),
    ...io.env,
    ...provider?.settings,
    CAIRN_PORT: new URL(url).port,
  });
  const owner = provider ? { issuer: provider.issuer, subject: 'ben' } : nobody;
  const agents = await withStore(settings, async (store) => await registerAgents(store, owner));
  const log = openLog(settings, io.stderr);
  services = await openServices(settings, log, ['integrity', 'control-plane'], { worksOnJobs: true });
  const stop = stopped(io);
  const callers = provider ? signedInCallers(url, provider) : anonymousCallers(url);
  const filled = fill(url, await callers, { agents, gatewaySecret: settings.gatewaySecret ?? '' }).then(
    (text) => {
      const seconds = ((performance.now() - startedAt) / 1_000).toFixed(1);
      const people = provider ? `\n${signInTable(url, provider)}` : '';
      const end = `Ready after ${seconds} s. Ctrl-C stops; the data stays in ${settings.dataDir}.`;
      process.stdout.write(`${text}${people}\n${end}\n`);
    },
  );
  await Promise.race([filled.then(() => stop), stop]);
}

async function startProvider(port: number, url: string): Promise<DemoProvider> {
  // The library warns that it keeps everything in memory, as the demo wants it.
  console.warn = () => undefined;
  const { startDemoProvider } = await import('./demo/provider.ts');
  return await startDemoProvider(port, url);
}

/** Does something with the store before the services open it. */
async function withStore<Result>(
  settings: Settings,
  act: (store: Awaited<ReturnType<typeof openStore>>) => Promise<Result>,
): Promise<Result> {
  await using store = await openStore(settings, () => {});
  return await act(store);
}

try {
  await demo();
} catch (error) {
  process.stderr.write(explanationOf(error));
  process.exitCode = exitCodeOf(error);
}
