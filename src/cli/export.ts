import { open, rename, rm } from 'node:fs/promises';
import { extname } from 'node:path';
import type { Command } from 'commander';
import { parseUuid } from '../domain/integrity/identifiers.ts';
import { answerBytes, openClient } from './api-client.ts';
import { readClientSettings } from './client-settings.ts';
import { failUsage } from './failure.ts';
import { pathKind } from './local-files.ts';
import { openProgress } from './progress.ts';
import { writeOut } from './write-out.ts';

interface ExportFlags {
  readonly output: string;
  readonly all?: true;
  readonly descendants?: true;
  readonly contexts: boolean;
  readonly blobs: boolean;
  readonly json?: true;
}

const notes = `
The manifest holds the statements of the graphs, the contexts that they need and the blobs to which they refer, so
that "cairn verify" can verify it anywhere, offline. A FILE that ends in .car becomes a CAR, any other one JSON.
FILE appears only when it is complete.

Examples:
  $ cairn export 0199b6f2-6f0e-7cc3-9d5f-b7f6c9a1d3e4 -o evidence.json
  $ cairn export 0199b6f2-6f0e-7cc3-9d5f-b7f6c9a1d3e4 --descendants -o evidence.car
  $ cairn export --all --no-blobs -o statements.json`;

export function exportCommand(program: Command): void {
  program
    .command('export')
    .description('package graphs into one manifest file')
    .argument('[graph...]', 'UUIDs of the graphs')
    .requiredOption('-o, --output <file>', 'the file to write; - is standard output (JSON)')
    .option('--all', 'every graph that you may view')
    .option('--descendants', 'take in the graphs below the given ones')
    .option('--no-contexts', 'leave the context documents out')
    .option('--no-blobs', 'leave the blobs out')
    .option('--json', 'print the outcome as a JSON object')
    .addHelpText('after', notes)
    .action(async (graphs: string[], flags: ExportFlags) => await exportGraphs(graphs, flags));
}

async function exportGraphs(graphs: readonly string[], flags: ExportFlags): Promise<void> {
  if ((graphs.length === 0) === (flags.all === undefined)) failUsage('Name the graphs, or give --all.');
  const { output } = flags;
  if ((await pathKind(output)) === 'folder') failUsage(`${output} is a folder. Name a file.`);
  const client = openClient(readClientSettings(process.env));
  const query = new URLSearchParams({
    ...(graphs.length > 0 && { graph_ids: graphs.map((graph) => parseUuid(graph, 'A graph')).join(',') }),
    include_context: String(flags.contexts),
    include_blobs: String(flags.blobs),
    ...(flags.descendants && { include_descendants: 'true' }),
  });
  const accept = extname(output).toLowerCase() === '.car' ? 'application/vnd.ipld.car' : 'application/json';
  const response = await client.send('GET', `/manifest/v1?${query}`, {
    headers: { accept, 'accept-encoding': 'identity' },
  });
  const bytes = output === '-' ? await print(response) : await write(response, output);
  tell(response, { output, bytes }, flags.json ?? false);
}

async function print(response: Response): Promise<number> {
  let bytes = 0;
  for await (const chunk of answerBytes(response)) {
    bytes += chunk.length;
    await writeOut(chunk);
  }
  return bytes;
}

async function write(response: Response, output: string): Promise<number> {
  const part = `${output}.part`;
  let bytes = 0;
  try {
    using progress = openProgress({ total: undefined });
    await using file = await open(part, 'w');
    for await (const chunk of answerBytes(response)) {
      await file.writeFile(chunk);
      bytes += chunk.length;
      progress.update(bytes, `${(bytes / 2 ** 20).toFixed(1)} MiB`);
    }
    await file.sync();
  } catch (error) {
    await rm(part, { force: true });
    throw error;
  }
  await rename(part, output);
  return bytes;
}

function tell(response: Response, done: { output: string; bytes: number }, asJson: boolean): void {
  const count = (header: string) => Number(response.headers.get(header) ?? 0);
  const missing = count('cairn-missing-blobs');
  const leftOut = count('cairn-left-out-statements');
  if (missing > 0) process.stderr.write(`${missing} blobs are referred to and not in the manifest.\n`);
  if (leftOut > 0) {
    process.stderr.write(
      `${leftOut} statements were left out: their graph gives a context another meaning. Export it on its own.\n`,
    );
  }
  if (done.output === '-') return;
  const outcome = { file: done.output, bytes: done.bytes, missing_blobs: missing, left_out: leftOut };
  process.stdout.write(asJson ? `${JSON.stringify(outcome)}\n` : `${done.output}  ${done.bytes} bytes\n`);
}
