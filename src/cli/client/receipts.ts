import { z } from 'zod';
import { linesOf } from './lines.ts';
import { fileChunks, openRandomAccess } from './local-files.ts';

/** A line of a file of receipts, as `cairn ingest --receipts` writes them. */
const receiptLine = z.object({
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

const firstLine = 'c2sp.org/tlog-proof@';
export const mostReceiptBytes = 1 << 20;
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
    return yield { line: undefined, text: Buffer.from(await headOf(path, mostReceiptBytes)).toString() };
  }
  for await (const { number: line, bytes } of linesOf(
    fileChunks(path),
    { offset: 0, lines: 0 },
    mostReceiptBytes,
  )) {
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
  await using file = await openRandomAccess(path);
  return await file.read(0, bytes);
}
