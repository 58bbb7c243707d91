import { open } from 'node:fs/promises';
import { receiptsAnswer } from '../../../contract/integrity/log.ts';
import { type ApiClient, answerJson, jsonBody } from '../../client/api-client.ts';
import { mostReceiptBytes, type ReceiptLine } from '../../client/receipts.ts';
import { exitCodes, Failure } from '../../terminal/failure.ts';

/** A file to which receipts are appended. */
export interface ReceiptFile extends AsyncDisposable {
  write(lines: readonly ReceiptLine[]): Promise<void>;
}

/** An earlier run may have been killed in the middle of a line, which goes away. */
export async function openReceiptFile(path: string): Promise<ReceiptFile> {
  const file = await open(path, 'a+');
  const { size } = await file.stat();
  const tail = Math.min(size, 2 * mostReceiptBytes);
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
