import { logSubject, seenWords } from '../../../contract/log-words.ts';
import { type Cid, codecs, makeCid } from '../../../domain/integrity/identifiers/cid.ts';
import { CheckpointChecks } from '../../../domain/log/checkpoint-checks.ts';
import type { StatementDigests } from '../../../domain/log/entries.ts';
import { isSameHash } from '../../../domain/log/merkle/hashing.ts';
import type { LogTrust } from '../../../domain/log/notes/tlog-proof.ts';
import { LogProofError } from '../../../domain/log/proof-error.ts';
import { subjectOf, type VerifiedReceipt, verifyReceipt } from '../../../domain/log/receipt.ts';
import { receiptsIn } from '../../client/receipts.ts';

export interface CheckedReceipt {
  readonly name: string;
  readonly line: number | undefined;
  /** Null if it is not valid. */
  readonly receipt: VerifiedReceipt | null;
  /** Why it is not valid. */
  readonly problem: string | null;
}

/** Verifies the receipts of a file. @param expected CIDs that the statement of each must have. */
export async function* verifyReceipts(
  path: string,
  trust: LogTrust,
  expected: readonly Cid[] = [],
): AsyncGenerator<CheckedReceipt> {
  const checks = new CheckpointChecks(trust);
  const hasForm = expected.some(({ codec }) => codec === codecs.jcs);
  for await (const { line, text } of receiptsIn(path)) {
    const about = { name: path, line };
    try {
      const receipt = text === undefined ? null : verifyReceipt(text, null, checks);
      const other = receipt && expected.find((cid) => !isOf(receipt.statement, cid, hasForm));
      if (!receipt) yield { ...about, receipt, problem: 'The line is not a receipt.' };
      else if (other) yield { ...about, receipt: null, problem: otherWords(receipt.statement, other) };
      else yield { ...about, receipt, problem: null };
    } catch (error) {
      if (!(error instanceof LogProofError)) throw error;
      yield { ...about, receipt: null, problem: error.message };
    }
  }
}

/** A statement without an id has only its `jcs_cid`. */
function isOf({ rdfcDigest, jcsDigest }: StatementDigests, { codec, digest }: Cid, isForm: boolean): boolean {
  if (codec === codecs.jcs) return isSameHash(digest, jcsDigest);
  if (codec !== codecs.rdfc) return false;
  return rdfcDigest === null ? isForm : isSameHash(digest, rdfcDigest);
}

function otherWords(statement: StatementDigests, { text }: Cid): string {
  return `The receipt is of another statement: ${subjectOf(statement)}, not ${text}.`;
}

export function receiptWords({ log, index, serviceSize, checkpoint, statement }: VerifiedReceipt): string {
  const was = `${subjectOf(statement)} is entry ${index} of ${logSubject(log)}`;
  const size = serviceSize.toLocaleString('en');
  if (!checkpoint.isKnown)
    return `${was} in a log that calls itself ${checkpoint.origin}. Nobody can tell whose log it is without its key (--log-key, --log-policy)`;
  return `${was} and in the log ${checkpoint.origin} at size ${size}, ${seenWords(checkpoint.seen)}`;
}

export function receiptText({ name, line, receipt, problem }: CheckedReceipt): string {
  const place = line === undefined ? name : `${name}, line ${line}`;
  return receipt ? `${place}: verified\n  ${receiptWords(receipt)}\n` : `${place}: FAILED\n  ${problem}\n`;
}

/** @param more members. */
export function receiptJson({ name, line, receipt, problem }: CheckedReceipt, more: object = {}): string {
  const about = { name, line, kind: 'receipt', ok: receipt !== null };
  if (!receipt) return `${JSON.stringify({ ...about, problem, ...more })}\n`;
  const { log, index, size, serviceSize, checkpoint, statement } = receipt;
  const { origin, isKnown, seen } = checkpoint;
  const found = {
    statement: subjectOf(statement),
    jcs_cid: makeCid(codecs.jcs, statement.jcsDigest).text,
    ...{ log, index, size, origin, log_size: serviceSize, known: isKnown },
    not_after: seen && new Date(seen.at * 1_000).toISOString(),
    witnesses: seen?.witnesses ?? [],
  };
  return `${JSON.stringify({ ...about, ...found, ...more })}\n`;
}
