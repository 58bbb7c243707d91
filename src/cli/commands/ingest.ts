import { createReadStream } from 'node:fs';
import { realpath, stat } from 'node:fs/promises';
import { addAbortSignal } from 'node:stream';
import { type Command, InvalidArgumentError } from 'commander';
import type { ContextSource } from '../../domain/integrity/ports.ts';
import { openClient } from '../client/api-client.ts';
import { readClientSettings } from '../client/client-settings.ts';
import { contextFolders } from '../client/context-folders.ts';
import { chosenGraph } from '../client/graphs.ts';
import { pathKind } from '../client/local-files.ts';
import { StateFile } from '../client/state-file.ts';
import type { SignStatement } from '../client/statement-signing.ts';
import { failNo, failUsage } from '../terminal/failure.ts';
import type { Io } from '../terminal/io.ts';
import { say, sayText } from '../terminal/output.ts';
import { ingestSpool } from './ingest/ingest-spool.ts';
import { checkpoint, Ingestion, type ResumableFile } from './ingest/ingestion.ts';
import { openReceiptFile } from './ingest/receipts.ts';

interface IngestFlags {
  readonly graph?: string;
  readonly generateId?: true;
  readonly sign?: string;
  readonly receipts?: string;
  readonly contexts: readonly string[];
  readonly batch: number;
  readonly concurrency: number;
  readonly restart?: true;
  readonly verbose?: true;
  readonly deleteSent?: true;
  readonly json?: true;
}

const readBytes = 1 << 20;

const inNoGraph = `The statements were stored without a graph, so exports of graphs do not contain them. To put them into one, run "cairn init"
in this folder or use --graph, and send them again.
`;

const notes = `
Each line is one statement and is sent unchanged. Blank lines are skipped. Refused lines are reported with their
number, and the other lines are stored. A request whose connection is lost is sent again a few times. After an
interruption, run the same command again: it resumes where it stopped, and nothing is stored twice.

"stored" counts the statements of requests with at least one new statement, so a few of them may have been known.
"known" counts the statements of requests in which every statement was known.

-v prints the id of each stored statement with its line, in the order of the lines of each request. An interrupted run has
printed the ids up to where it stopped.

--receipts waits until the log of the service has published each statement, and keeps a proof of that. "cairn verify FILE" checks
these offline, and "cairn verify MANIFEST --receipt FILE" shows whether a manifest leaves one of the statements out. A receipt can
be in the file twice after an interruption.

--sign computes each id on this machine and signs a credential about it, so nobody has to trust the service for it. The
service stores the credential as a statement beside the line. Only what the ids cover is signed.

A folder that "cairn record --spool" has filled is sent with its files. An interrupted run can be repeated.

Examples:
  $ cairn ingest statements.ndjson --generate-id
  $ cairn ingest statements.ndjson --generate-id --sign my-key.json
  $ cairn ingest statements.ndjson --generate-id --receipts receipts.jsonl
  $ cairn ingest run-42.ndjson --graph 0199b6f2-6f0e-7cc3-9d5f-b7f6c9a1d3e4
  $ zstdcat statements.ndjson.zst | cairn ingest - --json`;

export function ingestCommand(program: Command, io: Io): void {
  program
    .command('ingest')
    .description('store statements, one JSON object per line')
    .argument('<file>', 'NDJSON file, - for standard input, or a folder of "cairn record --spool"')
    .option('--graph <graph>', 'UUID or name of their graph (default: the one of cairn.json)')
    .option(
      '--generate-id',
      'let the service compute each @id; otherwise each @id must be present and correct',
    )
    .option('--sign <key file>', 'sign a credential for each statement with this key (cairn key create)')
    .option(
      '--contexts <folder>',
      'with --sign: folder with context documents (cid/<cid>, https/<host>/<path>; repeatable)',
      (folder: string, others: readonly string[]) => [...others, folder],
      [],
    )
    .option(
      '--receipts <file>',
      'append the receipt of each statement to this file, one JSON object per line',
    )
    .option('--batch <count>', 'statements per request (at most about 8 MiB)', count, 1_000)
    .option('--concurrency <count>', 'concurrent requests', count, 2)
    .option('--delete-sent', 'with a folder: delete each recording when the service has it')
    .option('--restart', 'start at the first line instead of resuming an earlier run')
    .option('-v, --verbose', 'print the id of each stored statement')
    .option(
      '--json',
      'print one JSON object per line: {"stored": {"line", "statement_id"}} or {"refused": …} for each line, then {"summary": …}',
    )
    .addHelpText('after', notes)
    .action(async (path: string, flags: IngestFlags) => await ingest(io, path, flags));
}

function count(text: string): number {
  if (/^[1-9]\d{0,5}$/.test(text)) return Number(text);
  throw new InvalidArgumentError('It must be a whole number above 0.');
}

async function ingest(io: Io, path: string, flags: IngestFlags): Promise<void> {
  const settings = readClientSettings(io);
  const client = openClient(settings);
  const graphId = await chosenGraph(client, settings, flags.graph);
  const envelope = { graphId, generateId: flags.generateId ?? false };
  const kind = path === '-' ? 'stream' : await pathKind(path);
  if (!kind) failUsage(`The file ${path} does not exist.`);
  if (kind === 'folder') {
    const { deleteSent = false, json: asJson = false } = flags;
    const replacesGraph = flags.graph !== undefined;
    if (flags.receipts !== undefined) failUsage('--receipts is for files of statements, not for folders.');
    return await ingestSpool(io, client, path, { graphId, replacesGraph, deleteSent, asJson });
  }
  const file =
    kind === 'file'
      ? await resumable(path, settings.stateDir, { url: settings.url, ...envelope, sign: flags.sign })
      : undefined;
  const sources = await contextFolders(flags.contexts, settings);
  const sign = flags.sign === undefined ? undefined : await openSigning(flags.sign, sources);
  const stop = io.stopSignal();
  stop.addEventListener('abort', () =>
    say(io, '\nStopping after the running requests. Repeat to stop at once.'),
  );
  const { batch, concurrency, json: asJson = false, verbose = false, restart = false } = flags;
  await using receipts = flags.receipts === undefined ? undefined : await openReceiptFile(flags.receipts);
  const ingestion = new Ingestion({
    receipts,
    io,
    client,
    envelope,
    sign,
    batch,
    concurrency,
    asJson,
    showsIds: asJson || verbose,
    file,
    mayResume: !restart,
  });
  const open = (offset: number) =>
    path === '-'
      ? io.stdin
      : createReadStream(path, { highWaterMark: readBytes, ...(offset > 0 && { start: offset }) });
  const input = (offset: number) => addAbortSignal(stop, open(offset));
  const { stored, known, refused } = await ingestion.run(input, stop);
  if (graphId === null && stored + known > 0) sayText(io, inNoGraph);
  if (refused > 0) failNo(`${refused === 1 ? '1 line was' : `${refused} lines were`} refused.`);
}

/** Loads JSON-LD only when needed, because that takes time. */
async function openSigning(keyFile: string, sources: readonly ContextSource[]): Promise<SignStatement> {
  const { openStatementSigning } = await import('../client/statement-signing.ts');
  return (await openStatementSigning(keyFile, sources)).sign;
}

/** @param request what else makes two runs the same ingestion. */
async function resumable(path: string, stateDir: string, request: object): Promise<ResumableFile> {
  const { size, mtimeMs } = await stat(path);
  const key = { file: await realpath(path), ...request };
  return { size, version: `${size} ${mtimeMs}`, state: new StateFile(stateDir, 'ingest', key, checkpoint) };
}
