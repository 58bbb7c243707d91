import { createReadStream } from 'node:fs';
import { realpath, stat } from 'node:fs/promises';
import type { Readable } from 'node:stream';
import { addAbortSignal } from 'node:stream';
import { type Command, InvalidArgumentError } from 'commander';
import { parseUuid } from '../../domain/integrity/identifiers/identifiers.ts';
import { openClient } from '../client/api-client.ts';
import { readClientSettings } from '../client/client-settings.ts';
import { pathKind } from '../client/local-files.ts';
import { exitCodes, Failure, failUsage } from '../terminal/failure.ts';
import type { Io } from '../terminal/io.ts';
import { CheckpointFile } from './ingest/checkpoint.ts';
import { Ingestion } from './ingest/ingestion.ts';

interface IngestFlags {
  readonly graph?: string;
  readonly generateId?: true;
  readonly batch: number;
  readonly concurrency: number;
  readonly restart?: true;
  readonly json?: true;
}

const readBytes = 1 << 20;

const notes = `
Each line is one statement, and is sent as it stands. Blank lines are skipped. Lines that are refused are
reported with their number; the others are stored. An ingestion that was interrupted goes on where it stopped
when the same command is given again; nothing is stored twice.

"stored" counts the statements of requests that brought the service something new; a few of them may have
been known. "known" counts those of requests in which every statement was known.

Examples:
  $ cairn ingest statements.ndjson --generate-id
  $ cairn ingest run-42.ndjson --graph 0199b6f2-6f0e-7cc3-9d5f-b7f6c9a1d3e4
  $ zstdcat statements.ndjson.zst | cairn ingest - --json`;

export function ingestCommand(program: Command, io: Io): void {
  program
    .command('ingest')
    .description('store statements, one JSON object a line')
    .argument('<file>', 'NDJSON file; - is standard input')
    .option('--graph <uuid>', 'graph under which to register them')
    .option(
      '--generate-id',
      'let the service compute and set each @id; without it @id must be there and right',
    )
    .option('--batch <count>', 'statements of a request (about 8 MiB at most)', count, 1_000)
    .option('--concurrency <count>', 'requests at a time', count, 2)
    .option('--restart', 'begin at the first line, whatever an earlier run has done')
    .option('--json', 'print a JSON object a line: {"refused": …} for each refused line, then {"summary": …}')
    .addHelpText('after', notes)
    .action(async (path: string, flags: IngestFlags) => await ingest(io, path, flags));
}

function count(text: string): number {
  if (/^[1-9]\d{0,5}$/.test(text)) return Number(text);
  throw new InvalidArgumentError('It must be a whole number above 0.');
}

async function ingest(io: Io, path: string, flags: IngestFlags): Promise<void> {
  const settings = readClientSettings(io);
  const graphId = flags.graph === undefined ? null : parseUuid(flags.graph, '--graph');
  const envelope = { graphId, generateId: flags.generateId ?? false };
  const source = await openSource(io, path);
  const file =
    source.file &&
    new CheckpointFile(settings.stateDir, { ...source.file, url: settings.url, ...envelope }, source.file);
  const stop = io.stopSignal();
  stop.addEventListener('abort', () => {
    io.stderr.write('\nStopping after the requests that run. A second time stops at once.\n');
  });
  const ingestion = new Ingestion({
    io,
    client: openClient(settings),
    envelope,
    batch: flags.batch,
    concurrency: flags.concurrency,
    asJson: flags.json ?? false,
    checkpoint: file,
    mayResume: !flags.restart,
    total: source.file?.size,
  });
  const open = (offset: number) => addAbortSignal(stop, source.open(offset));
  const outcome = await ingestion.run(open, stop).catch((error: unknown) => {
    if (ingestion.hasBegun) io.stderr.write(`${howToGoOn(Boolean(file))}\n`);
    throw error;
  });
  if (stop.aborted && !outcome.isComplete) {
    throw new Failure(exitCodes.interrupted, `Interrupted. ${howToGoOn(Boolean(file))}`);
  }
  if (outcome.tally.refused > 0) {
    throw new Failure(exitCodes.no, `Lines refused: ${outcome.tally.refused}.`);
  }
}

interface Source {
  /** Absent for what can be read only once. */
  readonly file?: { readonly file: string; readonly size: number; readonly modifiedMs: number };
  readonly open: (offset: number) => Readable;
}

async function openSource(io: Io, path: string): Promise<Source> {
  if (path === '-') return { open: () => io.stdin };
  const kind = await pathKind(path);
  if (!kind) failUsage(`There is no file ${path}.`);
  if (kind === 'folder') failUsage(`${path} is a folder. Name a file with one statement a line.`);
  if (kind === 'stream') return { open: () => createReadStream(path) };
  const { size, mtimeMs } = await stat(path);
  return {
    file: { file: await realpath(path), size, modifiedMs: mtimeMs },
    open: (start) => createReadStream(path, { start, highWaterMark: readBytes }),
  };
}

function howToGoOn(canResume: boolean): string {
  if (canResume) return 'What is acknowledged is remembered: give the same command again to go on.';
  return 'What is acknowledged stays: send the input again, and that part of it is known.';
}
