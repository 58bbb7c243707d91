import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { type Command, InvalidArgumentError } from 'commander';
import { messageOf } from '../../../domain/errors.ts';
import type { NoteSigner } from '../../../domain/log/notes/signing.ts';
import { formatVkey, keyTypes, parseVkey, type Vkey } from '../../../domain/log/notes/vkey.ts';
import { witnessRoutes } from '../../../http/witness.ts';
import { listen } from '../../../platform/http/server.ts';
import { openLog } from '../../../platform/log.ts';
import { placeSettingTable } from '../../../platform/settings/service.ts';
import { readTable } from '../../../platform/settings/settings.ts';
import { openWitnessFolder } from '../../../storage/witness-folder.ts';
import { withoutEmpty } from '../../client/client-settings.ts';
import { failUsage } from '../../terminal/failure.ts';
import type { Io } from '../../terminal/io.ts';
import { say, writeText } from '../../terminal/output.ts';

const notes = `
A witness cosigns each checkpoint of a log that extends the last one, with its own time. So a log cannot show different
histories to different people, and cannot backdate. Any log with the protocol https://c2sp.org/tlog-witness can use it.

The first start makes the keys. Standard output has the lines for the policy files of those who trust this witness, one for each of
its keys. Without a log to follow the command prints them and ends.

The folder holds the keys and the last checkpoint of each log. Never run copies of it and never restore an old one: a witness
that forgets could cosign a second history. Start a new witness instead. Put a proxy in front for https.

Examples:
  $ cairn log witness ./witness --name witness.example/w1
  $ cairn log witness ./witness --log "$(curl -s https://cairn.example/log/v1/key)" --url https://witness.example
  $ cairn log witness ./witness --logs logs.txt --port 8080`;

interface WitnessFlags {
  readonly name?: string;
  readonly log: readonly string[];
  readonly logs?: string;
  readonly host: string;
  readonly port: number;
  readonly url?: string;
}

const collect = (value: string, former: readonly string[]) => [...former, value];

export function witnessCommand(program: Command, io: Io): void {
  program
    .command('witness')
    .description('run a witness, which cosigns the checkpoints of logs')
    .argument('<folder>', 'where its keys and its memory are kept')
    .option('--name <name>', 'name of a new witness, such as witness.example/w1')
    .option('--log <vkey>', 'verifier key of a log to follow; repeatable', collect, [])
    .option('--logs <file>', 'file with verifier keys of logs, one per line; # begins a comment')
    .option('--host <address>', 'address to listen on', '127.0.0.1')
    .option('--port <port>', 'port to listen on; 0 picks a free one', port, 3060)
    .option('--url <url>', 'address at which logs reach the witness (default: where it listens)')
    .addHelpText('after', notes)
    .action(async (folder: string, flags: WitnessFlags) => await witness(io, folder, flags));
}

function port(text: string): number {
  if (!/^\d{1,5}$/.test(text) || Number(text) > 65_535)
    throw new InvalidArgumentError('It must be a number from 0 to 65535.');
  return Number(text);
}

async function witness(io: Io, folder: string, flags: WitnessFlags): Promise<void> {
  const { logLevel, logFormat } = placeSettingTable;
  const log = openLog(readTable({ logLevel, logFormat }, withoutEmpty(io.env)), io.stderr);
  const logs = followed(io, flags);
  using opened = openWitnessFolder(resolve(io.cwd, folder), {
    name: flags.name,
    onWarning: (sentence) => log.warn(sentence),
  });
  const { memory, signers } = opened;
  if (logs.size === 0) {
    await writeText(io, policyLines(signers, flags.url));
    say(io, 'The witness follows no log yet. Start it with --log or --logs, and it will listen.');
    return;
  }
  const { fetch } = witnessRoutes({ logs, memory, signers, now: () => new Date() }, log);
  const signal = io.stopSignal();
  const { host, port } = flags;
  const server = await listen({ fetch: (request) => fetch(request), host, port, portSetting: '--port' });
  await writeText(io, policyLines(signers, flags.url ?? server.url));
  log.info({ url: server.url, logs: [...logs.keys()] }, `The witness listens on ${server.url}`);
  if (!signal.aborted) await once(signal, 'abort');
  await server.stop(graceMs);
}

const graceMs = 5_000;

/** Lines of a policy file (c2sp.org/tlog-policy). */
function policyLines(signers: readonly NoteSigner[], url: string | undefined): string {
  return signers
    .map(({ vkey }) => {
      const name = vkey.type === keyTypes.mlDsa44Cosigner ? `${vkey.name}-ml-dsa-44` : vkey.name;
      return `${['witness', name, formatVkey(vkey), ...(url === undefined ? [] : [url])].join(' ')}\n`;
    })
    .join('');
}

function followed(io: Io, { log, logs }: WitnessFlags): Map<string, Vkey[]> {
  const lines = logs === undefined ? [] : readFileSync(resolve(io.cwd, logs), 'utf8').split('\n');
  const given = [
    ...log.map((text) => ({ text, place: '--log' })),
    ...lines.map((line, at) => ({ text: line, place: `${logs}, line ${at + 1}` })),
  ];
  const found = new Map<string, Vkey[]>();
  for (const { text, place } of given) {
    // The lines of a policy file serve as well.
    const [, vkey = ''] = /^\s*(?:log\s+)?([^\s#]\S*)/.exec(text) ?? [];
    if (vkey === '') continue;
    const key = readVkey(vkey, place);
    found.set(key.name, [...(found.get(key.name) ?? []), key]);
  }
  return found;
}

function readVkey(text: string, place: string): Vkey {
  try {
    return parseVkey(text);
  } catch (error) {
    return failUsage(`${place}: ${messageOf(error)}`);
  }
}
