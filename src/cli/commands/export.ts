import { extname, resolve } from 'node:path';
import type { Command } from 'commander';
import { parseUuid } from '../../domain/integrity/identifiers/identifiers.ts';
import { type ApiClient, answerBytes, openClient } from '../client/api-client.ts';
import { readClientSettings } from '../client/client-settings.ts';
import { fileToWrite } from '../client/download.ts';
import { exportByJob, exportMemory } from '../client/export-job.ts';
import { StateFile } from '../client/state-file.ts';
import { failUsage } from '../terminal/failure.ts';
import type { Io } from '../terminal/io.ts';
import { writeOut } from '../terminal/write-out.ts';

interface ExportFlags {
  readonly output: string;
  readonly all?: true;
  readonly descendants?: true;
  readonly contexts: boolean;
  readonly blobs: boolean;
  readonly restart?: true;
  readonly json?: true;
}

const notes = `
The manifest holds the statements of the graphs, the contexts that they need and the blobs to which they refer, so
that "cairn verify" can verify it anywhere, offline. A FILE that ends in .car becomes a CAR, any other one JSON.
FILE appears only when it is complete. The service makes it by itself meanwhile: after an interruption, give the same
command again, and it goes on where it was, with what was stored when it began; --restart makes it anew.

Examples:
  $ cairn export 0199b6f2-6f0e-7cc3-9d5f-b7f6c9a1d3e4 -o evidence.json
  $ cairn export 0199b6f2-6f0e-7cc3-9d5f-b7f6c9a1d3e4 --descendants -o evidence.car
  $ cairn export --all --no-blobs -o statements.json`;

export function exportCommand(program: Command, io: Io): void {
  program
    .command('export')
    .description('package graphs into one manifest file')
    .argument('[graph...]', 'UUIDs of the graphs')
    .requiredOption('-o, --output <file>', 'the file to write; - is standard output (JSON)')
    .option('--all', 'every graph that you may view')
    .option('--descendants', 'take in the graphs below the given ones')
    .option('--no-contexts', 'leave the context documents out')
    .option('--no-blobs', 'leave the blobs out')
    .option('--restart', 'make a new manifest, whatever an earlier run has begun')
    .option('--json', 'print the outcome as a JSON object')
    .addHelpText('after', notes)
    .action(async (graphs: string[], flags: ExportFlags) => await exportGraphs(io, graphs, flags));
}

async function exportGraphs(io: Io, graphs: readonly string[], flags: ExportFlags): Promise<void> {
  if ((graphs.length === 0) === (flags.all === undefined)) failUsage('Name the graphs, or give --all.');
  const { output } = flags;
  const file = output === '-' ? undefined : await fileToWrite(output);
  const settings = readClientSettings(io);
  const client = openClient(settings);
  const query = new URLSearchParams({
    ...(graphs.length > 0 && { graph_ids: graphs.map((graph) => parseUuid(graph, 'A graph')).join(',') }),
    include_context: String(flags.contexts),
    include_blobs: String(flags.blobs),
    ...(flags.descendants && { include_descendants: 'true' }),
  });
  const path = `/manifest/v1?${query}`;
  if (file === undefined) return await print(io, client, path);
  const accept = extname(output).toLowerCase() === '.car' ? 'application/vnd.ipld.car' : 'application/json';
  const state = new StateFile(
    settings.stateDir,
    'export',
    { url: client.url, path, accept, output: resolve(output) },
    exportMemory,
  );
  const mayResume = !flags.restart;
  const made = await exportByJob(io, client, { path, accept, state, mayResume }, file);
  tellGaps(io, made.missing_blobs?.count ?? 0, made.left_out_statements);
  const { bytes, statements } = made;
  const outcome = {
    file: output,
    bytes,
    statements,
    missing_blobs: made.missing_blobs?.count ?? 0,
    left_out: made.left_out_statements,
  };
  io.stdout.write(flags.json ? `${JSON.stringify(outcome)}\n` : `${output}  ${bytes} bytes\n`);
}

/** Without a job: what is printed cannot be taken up again. */
async function print(io: Io, client: ApiClient, path: string): Promise<void> {
  const headers = { accept: 'application/json', 'accept-encoding': 'identity' };
  const response = await client.send('GET', path, { headers });
  for await (const chunk of answerBytes(response)) await writeOut(io, chunk);
  const count = (header: string) => Number(response.headers.get(header) ?? 0);
  tellGaps(io, count('cairn-missing-blobs'), count('cairn-left-out-statements'));
}

function tellGaps(io: Io, missing: number, leftOut: number): void {
  if (missing > 0) io.stderr.write(`${missing} blobs are referred to and not in the manifest.\n`);
  if (leftOut > 0) {
    io.stderr.write(
      `${leftOut} statements were left out: their graph gives a context another meaning. Export it on its own.\n`,
    );
  }
}
