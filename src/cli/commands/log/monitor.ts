import { createHash } from 'node:crypto';
import { join, resolve } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { type Command, InvalidArgumentError, Option } from 'commander';
import { duration } from '../../../platform/settings/kinds.ts';
import { readClientSettings } from '../../client/client-settings.ts';
import { exitCodeOf, explanationOf } from '../../terminal/explanation.ts';
import { exitCodes, Failure } from '../../terminal/failure.ts';
import type { Io } from '../../terminal/io.ts';
import { sayText, writeText } from '../../terminal/output.ts';
import type { MonitorOptions } from './log-monitor.ts';

const notes = `
Each run compares the newest checkpoint with the last one, reads all new entries, and checks that the log has exactly these. If
the log contradicts itself, the exit code is 1 and standard output has both checkpoints, which its operator has signed.

Keep the state file where the operator of the log cannot change it. Without --log-key or --log-policy, the first run trusts the
key that the log names itself, and later ones keep to it.

--graph and --agent check every head of these in the service log against their own entries. This needs a token that may view them
(CAIRN_TOKEN, "cairn login"), which is only sent to CAIRN_URL.

Examples:
  $ cairn log monitor https://cairn.example
  $ cairn log monitor https://cairn.example --once --log-policy policy.txt --state /var/lib/monitor.json
  $ CAIRN_URL=https://cairn.example cairn log monitor --graph 0199b6f2-1c7e-7d3a-9a55-4b2f0c9e8d11`;

interface MonitorFlags extends MonitorOptions {
  readonly once?: true;
  readonly interval: number;
  readonly state?: string;
}

const collect = (value: string, former: readonly string[]) => [...former, value];

export function monitorCommand(log: Command, io: Io): void {
  log
    .command('monitor')
    .description('follow a log and check that nobody rewrites it')
    .argument('[url]', 'address of the log, or of the service that has it (default: CAIRN_URL)')
    .option('--once', 'look once and end')
    .addOption(
      new Option('--interval <duration>', 'how often to look, such as 30s or 1h')
        .argParser(interval)
        .default(60_000, '1m'),
    )
    .option('--state <file>', 'where the last checkpoint is kept (default: in the state folder of this user)')
    .option('--log-key <vkey>', 'trust this verifier key of the log; repeatable', collect, [])
    .option('--log-policy <file>', 'trust the logs of this policy, cosigned by its witnesses (tlog-policy)')
    .option('--graph <uuid>', 'check every head of this graph; repeatable', collect, [])
    .option('--agent <id>', 'check every head of this agent; repeatable', collect, [])
    .option('--json', 'print a JSON object for each look')
    .addHelpText('after', notes)
    .action(async (url: string | undefined, flags: MonitorFlags) => await monitor(io, url, flags));
}

function interval(text: string): number {
  const { data } = duration.safeParse(text);
  if (data === undefined) throw new InvalidArgumentError('It must be a duration, such as 30s or 1h.');
  return data;
}

/** The log of a service is below its address. */
function logUrl(url: string): string {
  const bare = url.replace(/\/+$/, '');
  return URL.parse(bare)?.pathname === '/' ? `${bare}/log/v1` : bare;
}

async function monitor(io: Io, given: string | undefined, flags: MonitorFlags): Promise<void> {
  const settings = readClientSettings(io);
  const url = logUrl(given ?? settings.url);
  if (!URL.canParse(url))
    throw new Failure(exitCodes.usage, `${url} is no URL, such as https://cairn.example.`);
  const isOwn = new URL(url).origin === new URL(settings.url).origin;
  const name = createHash('sha256').update(url).digest('hex').slice(0, 32);
  const file = flags.state
    ? resolve(io.cwd, flags.state)
    : join(settings.stateDir, 'log-monitor', `${name}.json`);
  // Imported here, because other commands do not need it.
  const { LogMonitor } = await import('./log-monitor.ts');
  const bearer = isOwn ? settings.bearer : () => null;
  const monitor = await LogMonitor.open(io, { url, bearer, file }, flags);
  const signal = io.stopSignal();
  for (;;) {
    try {
      await writeText(io, await monitor.look());
    } catch (error) {
      if (flags.once || exitCodeOf(error) !== exitCodes.unreachable) throw error;
      sayText(io, explanationOf(error));
    }
    if (flags.once || signal.aborted) return;
    await delay(flags.interval, undefined, { signal }).catch(() => undefined);
    if (signal.aborted) return;
  }
}
