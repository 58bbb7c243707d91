import type { Command } from 'commander';
import { openIntegrity } from '../integrity.ts';
import { openLog } from '../platform/log.ts';
import { listen } from '../platform/server.ts';
import { readSettings, type SettingName, settingTable, unknownVariables } from '../platform/settings.ts';

/** Running requests may take so long after the service was told to stop. */
const graceMs = 30_000;

export function serveCommand(program: Command): void {
  const command = program
    .command('serve')
    .description('start the service')
    .argument('[service]', 'integrity, or all: everything there is', 'all');
  for (const [name, setting] of Object.entries(settingTable)) {
    if (setting.flag)
      command.option(
        `--${setting.flag} <value>`,
        `${setting.about} (${settingTable[name as SettingName].variable})`,
      );
  }
  command.action(async (service: string, flags: Record<string, string>) => {
    if (service !== 'all' && service !== 'integrity') {
      command.error(`There is no service "${service}". Start "integrity" or "all".`);
    }
    await serve(flags);
  });
}

/** Serves until SIGINT or SIGTERM, then finishes what runs. A second signal ends at once. */
export async function serve(flags: Partial<Record<SettingName, string>>): Promise<void> {
  const settings = readSettings(process.env, flags);
  const log = openLog(settings.logLevel);
  for (const name of unknownVariables(process.env))
    log.warn({ variable: name }, `${name} is no setting of this version; is it misspelt?`);
  await using integrity = await openIntegrity(settings, log);
  const server = await listen({ fetch: integrity.app.fetch, host: settings.host, port: settings.port });
  log.warn('Authentication is disabled: whoever can reach this address may do everything.');
  log.info(
    { url: server.url, data: settings.dataDir, docs: `${server.url}/docs` },
    `Cairn listens on ${server.url}`,
  );
  const signal = await signalled();
  log.info({ signal }, 'Stopping: running requests may finish.');
  await server.stop(graceMs);
}

async function signalled(): Promise<string> {
  return await new Promise((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => resolve(signal));
  });
}
