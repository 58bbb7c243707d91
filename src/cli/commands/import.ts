import { stat } from 'node:fs/promises';
import type { Command } from 'commander';
import type z from 'zod';
import { importedManifest } from '../../contract/integrity/manifests.ts';
import { parseUuid } from '../../domain/integrity/identifiers/identifiers.ts';
import { answerJson, openClient } from '../client/api-client.ts';
import { readClientSettings } from '../client/client-settings.ts';
import { graphIdOf } from '../client/graphs.ts';
import { fileChunks, openRandomAccess, pathKind } from '../client/local-files.ts';
import { manifestForm } from '../client/manifest-form.ts';
import { failUsage } from '../terminal/failure.ts';
import type { Io } from '../terminal/io.ts';
import { writeText } from '../terminal/output.ts';
import { openProgress } from '../terminal/progress.ts';
import { fileForm, isJson, readUpTo, statementLimit } from './verify/file-form.ts';

interface ImportFlags {
  readonly graph?: string;
  readonly name?: string;
  readonly parent?: string;
  readonly json?: true;
}

const notes = `
The service recomputes every id and hash, and stores nothing if one is wrong. The content is registered in a new graph,
which appears completely or not at all. After an interruption, run the same command again with the graph that it
printed. Nothing is stored twice.

Examples:
  $ cairn import evidence.json
  $ cairn import evidence.car --graph 0199b6f2-6f0e-7cc3-9d5f-b7f6c9a1d3e4 --name "Audit 2026"`;

export function importCommand(program: Command, io: Io): void {
  program
    .command('import')
    .description('register the content of a manifest in a new graph')
    .argument('<file>', 'the manifest, as JSON or CAR')
    .option('--graph <uuid>', 'UUID of the new graph')
    .option('--name <name>', 'name of the new graph')
    .option('--parent <graph>', 'UUID or name of the graph above it')
    .option('--json', 'print the result as a JSON object')
    .addHelpText('after', notes)
    .action(async (file: string, flags: ImportFlags) => await importManifest(io, file, flags));
}

async function importManifest(io: Io, path: string, flags: ImportFlags): Promise<void> {
  const kind = await pathKind(path);
  if (!kind) failUsage(`The file ${path} does not exist.`);
  if (kind !== 'file') failUsage(`${path} is not a regular file.`);
  const form = await manifestForm(path);
  if (!form) failUsage(`${path} is not a manifest. ${await looks(path)}`);
  const client = openClient(readClientSettings(io));
  const graphId = flags.graph === undefined ? crypto.randomUUID() : parseUuid(flags.graph, '--graph');
  const query = new URLSearchParams({
    graph_id: graphId,
    ...(flags.name !== undefined && { name: flags.name }),
    ...(flags.parent !== undefined && { parent_id: await graphIdOf(client, flags.parent) }),
  });
  const { size } = await stat(path);
  const type = form === 'car' ? 'application/vnd.ipld.car' : 'application/json';
  using progress = openProgress(io, { total: size });
  progress.log(`Importing into the graph ${graphId}`);
  const response = await client.send('POST', `/manifest/v1?${query}`, {
    headers: { 'content-type': type, 'content-length': String(size) },
    body: () => counted(path, (done) => progress.update(done, `${(done / 2 ** 20).toFixed(1)} MiB sent`)),
  });
  const answer = await answerJson(response, importedManifest);
  await writeText(io, flags.json ? `${JSON.stringify(answer)}\n` : report(answer));
}

async function* counted(path: string, onBytes: (done: number) => void): AsyncGenerator<Uint8Array> {
  let done = 0;
  for await (const chunk of fileChunks(path)) {
    done += chunk.length;
    yield chunk;
    onBytes(done);
  }
}

function report(answer: z.output<typeof importedManifest>): string {
  const { graph_id, statements, blobs, contexts, unverified_contexts: unverified } = answer;
  const lines = [
    `graph       ${graph_id}`,
    `statements  ${statements.stored} stored, ${statements.known} known`,
    `blobs       ${blobs.stored} stored, ${blobs.known} known`,
    `contexts    ${contexts}${unverified.length > 0 ? `, unverified: ${unverified.join(', ')}` : ''}`,
  ];
  return `${lines.join('\n')}\n`;
}

/** Formats of compressed files by their first bytes. */
const packed = Object.entries({ '1f8b': 'gzip', '28b52ffd': 'zstd', '504b0304': 'zip' });

/** What a file that is not a manifest looks like. */
async function looks(path: string): Promise<string> {
  await using file = await openRandomAccess(path);
  const head = Buffer.from(await file.read(0, 4)).toString('hex');
  if (head === '') return 'It is empty.';
  const [, packing] = packed.find(([magic]) => head.startsWith(magic)) ?? [];
  if (packing) return `It looks compressed (${packing}). Decompress it first.`;
  const { form } = await fileForm(path);
  const ingest = `with "cairn ingest ${path}".`;
  if (form === 'statement')
    return `It looks like a statement. Store it ${ingest} It must be on one line: "jq -c . ${path}".`;
  if (form === 'lines') return `It looks like statements, one per line. Store them ${ingest}`;
  const bytes = await readUpTo(path, statementLimit);
  if (bytes && isJson(bytes)) return 'It is JSON without the members of a manifest (version, statements).';
  return 'It is neither JSON nor a CAR. Store it as a blob with "cairn put".';
}
