import { extname, resolve } from 'node:path';
import { type Command, Option } from 'commander';
import type { ManifestExportAnswer } from '../../contract/integrity/manifests.ts';
import { type ApiClient, answerBytes, openClient } from '../client/api-client.ts';
import { type ClientSettings, readClientSettings } from '../client/client-settings.ts';
import { fileToWrite } from '../client/download.ts';
import { exportByJob, exportMemory } from '../client/export-job.ts';
import { countText, graphIdOf, statementsInNoGraph } from '../client/graphs.ts';
import { StateFile } from '../client/state-file.ts';
import { failNo, failUsage } from '../terminal/failure.ts';
import type { Io } from '../terminal/io.ts';
import { printableLine, say, writeBytes, writeText } from '../terminal/output.ts';
import { exportProvenance } from './export/provenance.ts';

interface ExportFlags {
  readonly output: string;
  readonly all?: true;
  readonly descendants?: true;
  readonly contexts: boolean;
  readonly blobs: boolean;
  readonly proofs?: true;
  readonly restart?: true;
  readonly json?: true;
  readonly format: string;
  readonly sign?: string | true;
}

const nothing =
  'There is nothing to export: you may view no statements. "cairn init" makes a graph, and "cairn record" or "cairn ingest --graph" fill it.';

const notes = `
The manifest contains the statements of the graphs, their contexts and the blobs that they refer to. "cairn verify" can
verify it offline. The format is CAR if the name of FILE ends in .car, otherwise JSON. FILE appears only when it is
complete. With --proofs it has exactly the statements that the log of each graph has at a published head, and proves that. After an interruption, run the same command again: it resumes the export, without statements that were stored
since its start. --restart starts a new export.

Examples:
  $ cairn export 0199b6f2-6f0e-7cc3-9d5f-b7f6c9a1d3e4 -o evidence.json
  $ cairn export 0199b6f2-6f0e-7cc3-9d5f-b7f6c9a1d3e4 --descendants -o evidence.car
  $ cairn export "Credit model" -o evidence.car --proofs
  $ cairn export --all --no-blobs -o statements.json
  $ cairn export model.bin --format slsa --sign -o provenance.jsonl
  $ cairn export bafkr4i… --format cyclonedx -o bom.json`;

export function exportCommand(program: Command, io: Io): void {
  program
    .command('export')
    .description('package graphs into one manifest file')
    .argument(
      '[graph...]',
      'UUIDs or names of the graphs (default: the one of cairn.json); with --format one artefact: a CID or a file',
    )
    .requiredOption('-o, --output <file>', 'the file to write, or - for standard output (JSON)')
    .option('--all', 'export every graph that you may view, and the statements in no graph')
    .option('--descendants', 'include the graphs below the given ones')
    .option('--no-contexts', 'leave out the context documents')
    .option('--no-blobs', 'leave out the blobs')
    .option('--proofs', 'prove that nothing of the graphs is left out, with heads of their logs')
    .option('--restart', 'start a new export instead of resuming an earlier run')
    .addOption(
      new Option('--format <format>', 'what an artefact was made from, in a format of other tools')
        .choices(['manifest', 'slsa', 'prov', 'cyclonedx'])
        .default('manifest'),
    )
    .option('--sign [key]', 'of slsa: sign with this key file, or without one by the service')
    .option('--json', 'print the result as a JSON object')
    .addHelpText('after', notes)
    .action(async (names: string[], { format, ...flags }: ExportFlags) => {
      if (format === 'manifest') {
        if (flags.sign !== undefined)
          failUsage('--sign needs --format slsa. A manifest has the signatures of its statements.');
        return await exportGraphs(io, names, { ...flags, format });
      }
      await exportProvenance(io, names, { ...flags, format });
    });
}

async function exportGraphs(io: Io, graphs: readonly string[], flags: ExportFlags): Promise<void> {
  const { output } = flags;
  const file = output === '-' ? undefined : await fileToWrite(output);
  const settings = readClientSettings(io);
  const client = openClient(settings);
  const graphIds = await graphsToExport(client, settings, graphs, flags);
  const query = new URLSearchParams({
    ...(graphIds.length > 0 && { graph_ids: graphIds.join(',') }),
    include_context: String(flags.contexts),
    include_blobs: String(flags.blobs),
    ...(flags.descendants && { include_descendants: 'true' }),
    ...(flags.proofs && { include_proofs: 'true' }),
  });
  const path = `/manifest/v1?${query}`;
  const isEmpty = (statements: number) => flags.all === true && statements === 0;
  if (file === undefined) return await print(io, client, { path, isEmpty }, flags);
  const accept = extname(output).toLowerCase() === '.car' ? 'application/vnd.ipld.car' : 'application/json';
  const key = { url: client.url, path, accept, output: resolve(output) };
  const state = new StateFile(settings.stateDir, 'export', key, exportMemory);
  const assertContent = ({ statements }: ManifestExportAnswer) => {
    if (isEmpty(statements)) failNo(nothing);
  };
  const request = { path, accept, state, mayResume: !flags.restart, assertContent };
  const made = await exportByJob(io, client, request, file);
  const { bytes, statements, left_out_statements: left_out, later_statements: later = 0 } = made;
  const missing_blobs = made.missing_blobs?.count ?? 0;
  warnAboutGaps(io, missing_blobs, left_out, later);
  const in_no_graph = await warnAboutOthers(io, client, flags);
  const outcome = { file: output, bytes, statements, missing_blobs, left_out, later, in_no_graph };
  const line = flags.json ? JSON.stringify(outcome) : `${printableLine(output)}  ${bytes} bytes`;
  await writeText(io, `${line}\n`);
}

/** Prints without a job, because printing cannot be resumed. */
async function print(
  io: Io,
  client: ApiClient,
  { path, isEmpty }: { readonly path: string; readonly isEmpty: (statements: number) => boolean },
  flags: ExportFlags,
): Promise<void> {
  const headers = { accept: 'application/json', 'accept-encoding': 'identity' };
  const response = await client.send('GET', path, { headers });
  if (isEmpty(Number(response.headers.get('cairn-statements') ?? Number.NaN))) {
    await response.body?.cancel();
    failNo(nothing);
  }
  for await (const chunk of answerBytes(response)) await writeBytes(io, chunk);
  const count = (header: string) => Number(response.headers.get(header) ?? 0);
  warnAboutGaps(
    io,
    count('cairn-missing-blobs'),
    count('cairn-left-out-statements'),
    count('cairn-later-statements'),
  );
  await warnAboutOthers(io, client, flags);
}

async function graphsToExport(
  client: ApiClient,
  settings: ClientSettings,
  graphs: readonly string[],
  { all }: ExportFlags,
): Promise<string[]> {
  if (all && graphs.length > 0) failUsage('Name the graphs, or use --all, but not both.');
  if (all) return [];
  const found: string[] = [];
  for (const graph of graphs) found.push(await graphIdOf(client, graph));
  if (found.length === 0 && settings.folderFile) found.push(settings.folderFile.graph);
  if (found.length === 0)
    failUsage('Name the graphs, or use --all. "cairn init" makes a default graph for this folder.');
  return found;
}

/** @returns the number of statements that no graph contains, and whether there are more. */
async function warnAboutOthers(io: Io, client: ApiClient, { all }: Pick<ExportFlags, 'all'>) {
  const others = await statementsInNoGraph(client);
  if (!all && others?.statements) {
    const verb = others.statements === 1 && !others.statements_is_more ? 'statement is' : 'statements are';
    say(
      io,
      `${countText(others)} ${verb} in no graph. --all exports them too. To put them into a graph, send them again with: cairn ingest FILE --graph GRAPH`,
    );
  }
  return others;
}

function warnAboutGaps(io: Io, missing: number, leftOut: number, later: number): void {
  if (later > 0) say(io, `${later} statements came after the head that is proved, and were left out.`);
  if (missing > 0) say(io, `The manifest lacks ${missing} referenced blobs.`);
  if (leftOut > 0) {
    say(
      io,
      `${leftOut} statements were left out, because they use another document for a context URL. Export their graph separately.`,
    );
  }
}
