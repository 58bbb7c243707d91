import { open } from 'node:fs/promises';
import { z } from 'zod';
import { receiptsAnswer } from '../../contract/integrity/log.ts';
import { exitCodes, Failure } from '../terminal/failure.ts';
import { type ApiClient, answerJson, jsonBody } from './api-client.ts';
import { linesOf } from './lines.ts';
import { fileChunks } from './local-files.ts';

/** A line of a file of receipts, as `cairn ingest --receipts` writes them. */
export const receiptLine = z.object({
  statement_id: z.string(),
  jcs_cid: z.string(),
  graph_id: z.string().nullable(),
  receipt: z.string(),
});

export type ReceiptLine = z.output<typeof receiptLine>;

export interface ReadReceipt {
  /** Undefined if the file is one receipt. */
  readonly line: number | undefined;
  /** A tlog-proof; undefined for a line that is no receipt. */
  readonly text: string | undefined;
}

/** A file to which receipts are appended. */
export interface ReceiptFile extends AsyncDisposable {
  write(lines: readonly ReceiptLine[]): Promise<void>;
}

/** An earlier run may have been killed in the middle of a line, which goes away. */
export async function openReceiptFile(path: string): Promise<ReceiptFile> {
  const file = await open(path, 'a+');
  const { size } = await file.stat();
  const tail = Math.min(size, 2 * mostBytes);
  const { buffer } = await file.read(Buffer.alloc(tail), 0, tail, size - tail);
  const end = buffer.lastIndexOf('\n') + 1;
  const isHalfReceipt = buffer.subarray(end).toString().startsWith(lineStart);
  if (isHalfReceipt) await file.truncate(size - tail + end);
  else if (end < tail) await file.appendFile('\n');
  return {
    async write(lines) {
      if (lines.length === 0) return;
      await file.appendFile(lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
      await file.datasync();
    },
    [Symbol.asyncDispose]: () => file.close(),
  };
}

/** How a line begins that this program has written. */
const lineStart = '{"statement_id":';

const proofsAtOnce = 1_000;
/** How often a request is repeated that has waited in vain, for 30 seconds each time. */
const mostWaits = 4;

/**
 * Receipts of stored statements. Waits until a published checkpoint has them.
 * @param forms their `jcs_cid`s. @throws Failure (unreachable) if the service publishes no checkpoint for two minutes.
 */
export async function readReceipts(
  client: ApiClient,
  forms: readonly string[],
  graphId: string | null,
): Promise<ReceiptLine[]> {
  const found: ReceiptLine[] = [];
  for (let at = 0; at < forms.length; at += proofsAtOnce)
    found.push(...(await readSome(client, forms.slice(at, at + proofsAtOnce), graphId)));
  return found;
}

async function readSome(client: ApiClient, statements: readonly string[], graphId: string | null) {
  for (let waits = 0; waits < mostWaits; waits += 1) {
    const { body, headers } = jsonBody(JSON.stringify({ statements, graph_id: graphId }));
    const init = { body, headers: { ...headers, prefer: 'wait=30' } };
    const { receipts } = await answerJson(await client.send('POST', '/log/v1/proofs', init), receiptsAnswer);
    const whole = receipts.flatMap((one) => (one.receipt === null ? [] : [{ ...one, receipt: one.receipt }]));
    if (whole.length === receipts.length) return whole;
  }
  throw new Failure(
    exitCodes.unreachable,
    'The statements are stored, but the service has published no checkpoint with them for two minutes. Ask its operator whether its log is published (GET /log/v1/checkpoint), and run the same command again.',
  );
}

const firstLine = 'c2sp.org/tlog-proof@';
const mostBytes = 1 << 20;
const headBytes = 65_536;

/** Whether a file is a receipt, or has one in each line. */
export async function isReceiptFile(path: string): Promise<boolean> {
  const head = Buffer.from(await headOf(path, headBytes)).toString();
  if (head.startsWith(firstLine)) return true;
  const [line = ''] = head.trimStart().split('\n', 1);
  return textIn(line) !== undefined;
}

/** The receipts of a file, in their order. */
export async function* receiptsIn(path: string): AsyncGenerator<ReadReceipt> {
  const head = Buffer.from(await headOf(path, firstLine.length)).toString();
  if (head === firstLine) {
    // What is longer is no receipt, which its parser says.
    return yield { line: undefined, text: Buffer.from(await headOf(path, mostBytes)).toString() };
  }
  for await (const { number: line, bytes } of linesOf(fileChunks(path), { offset: 0, lines: 0 }, mostBytes)) {
    const text = Buffer.from(bytes ?? []).toString();
    if (bytes && text.trim() === '') continue;
    yield { line, text: textIn(text) };
  }
}

function textIn(line: string): string | undefined {
  try {
    return receiptLine.parse(JSON.parse(line)).receipt;
  } catch {
    return undefined;
  }
}

async function headOf(path: string, bytes: number): Promise<Uint8Array> {
  await using file = await open(path);
  const { buffer, bytesRead } = await file.read(Buffer.alloc(bytes), 0, bytes, 0);
  return buffer.subarray(0, bytesRead);
}
