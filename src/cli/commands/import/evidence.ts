import { createReadStream } from 'node:fs';
import { extname } from 'node:path';
import type { z } from 'zod';
import { importedEvidence, importedLines } from '../../../contract/integrity/evidence.ts';
import { hasJsonLines } from '../../../domain/integrity/evidence/lines.ts';
import { mapConcurrent } from '../../../domain/map-concurrent.ts';
import { type ApiClient, ApiRefusal, answerJson } from '../../client/api-client.ts';
import { linesOf } from '../../client/lines.ts';
import { openRandomAccess } from '../../client/local-files.ts';
import { manifestForm } from '../../client/manifest-form.ts';
import { Failure, failNo } from '../../terminal/failure.ts';
import type { Io } from '../../terminal/io.ts';
import { printableLine, say, writeText } from '../../terminal/output.ts';
import { openProgress } from '../../terminal/progress.ts';
import { filesAt, type LocalFile, localFile } from './files.ts';

export interface EvidenceImport {
  readonly client: ApiClient;
  readonly graphId: string | null;
  /** The DID of who brings the files. */
  readonly registeredBy: string;
  readonly asJson: boolean;
}

type Taken = z.output<typeof importedEvidence>;
type Refused = { readonly error: string; readonly code?: string; readonly pointer?: string | undefined };
/** What became of a file, or of a line of it. */
type Outcome = { readonly file: string; readonly line?: number } & (Taken | Refused);

const sentAtOnce = 3;
const headBytes = 8 << 20;
const batchBytes = 4 << 20;
const batchLines = 500;
const lineLimit = 64 << 20;
const lineNames = new Set(['.jsonl', '.ndjson']);

/** Sends files to the service, which finds out what they are. A refused one is reported, and the others go on. */
export async function importFiles(io: Io, paths: readonly string[], to: EvidenceImport): Promise<void> {
  const files: LocalFile[] = [];
  const left: string[] = [];
  const unreadable: Outcome[] = [];
  for (const path of paths) {
    try {
      const found = await filesAt(path);
      files.push(...found.files);
      left.push(...found.left);
      unreadable.push(...found.unreadable);
    } catch (error) {
      if (paths.length === 1 || !(error instanceof Failure)) throw error;
      unreadable.push({ file: path, error: error.message });
    }
  }
  using progress = openProgress(io, { total: files.reduce((sum, { size }) => sum + size, 0) });
  const counts = { taken: 0, refused: 0, sent: 0 };
  const report = async (outcome: Outcome) => {
    counts['error' in outcome ? 'refused' : 'taken'] += 1;
    if (to.asJson) await writeText(io, `${JSON.stringify(outcome)}\n`);
    else if ('error' in outcome) progress.log(`${placeOf(outcome)}: ${outcome.error}`);
    else if (outcome.line === undefined) await writeText(io, `${lineFor(outcome)}\n`);
  };
  for (const outcome of unreadable) await report(outcome);
  for await (const { outcomes, size } of mapConcurrent(requestsFor(files), sentAtOnce, (send) => send(to))) {
    for (const outcome of outcomes) await report(outcome);
    counts.sent += size;
    progress.update(counts.sent, `${counts.taken.toLocaleString('en')} imported`);
  }
  if (!to.asJson || left.length > 0) say(io, summary(counts, left));
  if (counts.refused > 0) failNo(counts.refused === 1 ? '1 was refused.' : `${counts.refused} were refused.`);
}

/** `12 imported, 1 refused, 3 left out: not evidence, such as package.json`. */
function summary(counts: { readonly taken: number; readonly refused: number }, left: readonly string[]) {
  const written = (count: number) => count.toLocaleString('en');
  const parts = [
    `${written(counts.taken)} imported`,
    ...(counts.refused > 0 ? [`${written(counts.refused)} refused`] : []),
    ...(left.length > 0
      ? [`${written(left.length)} left out: not evidence, such as ${printableLine(left[0] ?? '')}`]
      : []),
  ];
  return parts.join(', ');
}

export type ImportedFile = { readonly file: string } & Taken;

/** Sends one file. */
export async function importFile(path: string, to: EvidenceImport): Promise<ImportedFile | Refused> {
  const { outcomes } = await sendWhole(to, await localFile(path));
  return outcomes[0] as ImportedFile | Refused;
}

interface Sent {
  readonly outcomes: readonly Outcome[];
  readonly size: number;
}

type Request = (to: EvidenceImport) => Promise<Sent>;

async function* requestsFor(files: readonly LocalFile[]): AsyncGenerator<Request> {
  for (const file of files) {
    if (!file.isWhole && (await isOfLines(file.path))) yield* requestsForLines(file);
    else yield (to) => sendWhole(to, file);
  }
}

async function isOfLines(path: string): Promise<boolean> {
  await using file = await openRandomAccess(path);
  const head = await file.read(0, headBytes);
  return hasJsonLines(head) || (lineNames.has(extname(path).toLowerCase()) && file.size > head.length);
}

async function sendWhole(
  { client, ...to }: EvidenceImport,
  { path, size, isWhole, bytes }: LocalFile,
): Promise<Sent> {
  const send = async (): Promise<Outcome> => {
    if (!isWhole && (await manifestForm(path)))
      return {
        file: path,
        error: 'It is a manifest. Import it alone, because it becomes a graph of its own.',
      };
    const headers = { 'content-type': 'application/octet-stream', 'content-length': String(size) };
    const request = { headers, body: bytes };
    const response = await client.send('POST', `/evidence/v1?${queryOf(to)}`, request);
    return { file: path, ...(await answerJson(response, importedEvidence)) };
  };
  return { outcomes: [await orRefused(path, send)], size };
}

async function orRefused(path: string, send: () => Promise<Outcome>): Promise<Outcome> {
  try {
    return await send();
  } catch (error) {
    if (!(error instanceof ApiRefusal) || ![400, 413].includes(error.status)) throw error;
    return { file: path, error: error.message, code: error.code, pointer: error.details[0]?.pointer };
  }
}

type SentLine = { readonly number: number; readonly bytes: Uint8Array };

async function* requestsForLines({ path }: LocalFile): AsyncGenerator<Request> {
  let batch: SentLine[] = [];
  let [size, start] = [0, 0];
  const lines = linesOf(
    createReadStream(path, { highWaterMark: 1 << 20 }),
    { offset: 0, lines: 0 },
    lineLimit,
  );
  for await (const { number, bytes, end } of lines) {
    if (!bytes)
      yield async () => ({
        outcomes: [{ file: path, line: number, error: 'The line is too long.' }],
        size: 0,
      });
    else if (bytes.length > 0) batch.push({ number, bytes });
    size = end - start;
    if (size < batchBytes && batch.length < batchLines) continue;
    yield requestFor(path, batch, size);
    batch = [];
    start = end;
  }
  if (batch.length > 0) yield requestFor(path, batch, size);
}

function requestFor(file: string, lines: readonly SentLine[], size: number): Request {
  return async ({ client, ...to }) => {
    const body = Buffer.concat(lines.flatMap(({ bytes }) => [bytes, newline]));
    const request = { headers: { 'content-type': 'application/x-ndjson' }, body: () => body };
    const response = await client.send('POST', `/evidence/v1?${queryOf(to)}`, request);
    const { results } = await answerJson(response, importedLines);
    return {
      outcomes: results.map((one) => ({ file, ...one, line: lines[one.line - 1]?.number ?? one.line })),
      size,
    };
  };
}

const newline = Buffer.from('\n');

function queryOf({ graphId, registeredBy }: Omit<EvidenceImport, 'client'>): URLSearchParams {
  return new URLSearchParams({ registered_by: registeredBy, ...(graphId !== null && { graph_id: graphId }) });
}

function placeOf({ file, line }: Outcome): string {
  return printableLine(line === undefined ? file : `${file}:${line}`);
}

export function lineFor({ file, kind, statements, signatures }: Outcome & Taken): string {
  const line = `${kind.padEnd(16)}  ${String(statements.length).padStart(5)} statements  ${printableLine(file)}`;
  const checks = signatures.map(({ result, signer, reason }) =>
    result === 'ok' ? `signed by ${signer ?? 'a trusted key'}` : `signature ${result}: ${reason ?? ''}`,
  );
  return [line, ...checks.map((check) => `  ${printableLine(check)}`)].join('\n');
}
