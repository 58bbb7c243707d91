import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { openClient } from '../src/cli/client/api-client.ts';
import { exitCodeOf, explanationOf } from '../src/cli/terminal/failure.ts';
import { stopped } from '../src/cli/terminal/io.ts';
import { processIo } from '../src/cli/terminal/process-io.ts';
import { openServices } from '../src/composition/services.ts';
import { gatewayScopes } from '../src/domain/control-plane/gateway-access.ts';
import { signGatewayCredential } from '../src/platform/agent-tokens/gateway-credential.ts';
import { listen } from '../src/platform/http/server.ts';
import { openLog } from '../src/platform/log.ts';
import type { Settings } from '../src/platform/settings/setting-table.ts';
import { readSettings } from '../src/platform/settings/settings.ts';
import { openStore } from '../src/storage/open.ts';
import { activityOf } from './demo/activity.ts';
import { addresses } from './demo/addresses.ts';
import { changeAgents, type DemoAgent, registerAgents } from './demo/agents.ts';
import { govern } from './demo/governance.ts';
import { reportActivity } from './demo/report-activity.ts';
import { readDocuments, readSources } from './demo/sources.ts';
import { DemoStatements } from './demo/statements.ts';
import { type StoredDemo, storeDemo } from './demo/store-demo.ts';

const defaults = {
  CAIRN_DATA_DIR: join(import.meta.dirname, '..', 'data', 'demo'),
  CAIRN_LOG_LEVEL: 'warn',
  CAIRN_GATEWAY_SECRET: randomBytes(32).toString('base64url'),
  CONTROL_PLANE_AUTH_ENABLED: 'false',
};
const graceMs = 5_000;
const credentialMs = 600_000;

/** Starts both services on their own folder, stores the lineage of this repository and some agents, and serves them. */
async function demo(): Promise<void> {
  const startedAt = performance.now();
  const io = processIo();
  const settings = readSettings({ ...defaults, ...io.env });
  const agents = await withStore(settings, registerAgents);
  const log = openLog(settings.logLevel, io.stderr);
  await using services = await openServices(settings, log, ['integrity', 'control-plane'], {
    worksOnJobs: true,
  });
  const server = await listen({ fetch: services.fetch, host: settings.host, port: settings.port });
  const stop = stopped(io);
  const filled = fill(server.url, agents, settings).then((text) => {
    const seconds = ((performance.now() - startedAt) / 1_000).toFixed(1);
    process.stdout.write(
      `${text}\nReady after ${seconds} s. Ctrl-C stops; the data stays in ${settings.dataDir}.\n`,
    );
  });
  try {
    await Promise.race([filled.then(() => stop), stop]);
  } finally {
    await server.stop(graceMs);
  }
}

/** Does something with the store before the services open it. */
async function withStore<Result>(
  settings: Settings,
  act: (store: Awaited<ReturnType<typeof openStore>>) => Promise<Result>,
): Promise<Result> {
  await using store = await openStore(settings, () => {});
  return await act(store);
}

async function fill(url: string, agents: readonly DemoAgent[], { gatewaySecret }: Settings): Promise<string> {
  const sources = readSources();
  const made = new DemoStatements().make(sources, readDocuments());
  const client = openClient({ url, bearer: () => null });
  const stored = await storeDemo(client, made, tell);
  const subject = await govern(client);
  tell('Reporting what the agents of the demo did in the last week.');
  const bearer = await signGatewayCredential(gatewaySecret ?? '', {
    name: 'demo',
    scopes: gatewayScopes,
    lifetimeMs: credentialMs,
    now: new Date(),
  });
  const outputs = sources.map(({ output }) => output);
  const active = agents.filter(({ isRevoked }) => !isRevoked);
  const gateway = openClient({ url, bearer: () => bearer });
  await reportActivity(gateway, activityOf(active, outputs, Date.now()));
  await changeAgents(client, agents);
  return `${summary(stored)}\n\n${addresses(url, { demo: made, stored, sources, subject, agents })}`;
}

function tell(line: string): void {
  process.stderr.write(`${line}\n`);
}

function summary({ statements, stored }: StoredDemo): string {
  const news =
    stored === 0 ? 'nothing new: all of them were there' : `${stored} in requests that brought something new`;
  return `${statements} statements, ${news}.`;
}

try {
  await demo();
} catch (error) {
  process.stderr.write(explanationOf(error));
  process.exitCode = exitCodeOf(error);
}
