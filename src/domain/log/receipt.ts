import { z } from 'zod';
import { jcs } from '../integrity/identification/jcs.ts';
import { type StatementDigests, serviceEntry, statementEntry } from './entries.ts';
import { hashSize, isSameHash, leafHash } from './merkle/hashing.ts';
import { rootFromPath } from './merkle/proofs.ts';
import { blindedName } from './names.ts';
import { fromBase64, toBase64 } from './notes/base64.ts';
import {
  formatTlogProof,
  type LogTrust,
  parseTlogProof,
  type TlogProof,
  type VerifiedCheckpoint,
  verifyCheckpoint,
} from './notes/tlog-proof.ts';
import { refuse } from './proof-error.ts';

/** How a statement leads to an entry of the service log: through the head of its own log. */
export interface StatementPath {
  /** Name and nonce of the log that has the statement. */
  readonly name: string;
  readonly nonce: Uint8Array;
  /** The size of that log at its head in the service log. */
  readonly size: number;
  readonly index: number;
  readonly path: readonly Uint8Array[];
}

const base64Hash = z.string().refine((text) => fromBase64(text)?.length === hashSize);
const mostHashes = 53;
const longestName = 500;
const extraSchema = z.strictObject({
  name: z.string().max(longestName),
  nonce: base64Hash,
  size: z.int().nonnegative(),
  index: z.int().nonnegative(),
  path: z.array(base64Hash).max(mostHashes),
});

/** A receipt: the .tlog-proof of the entry of the service log, with the path of the statement in its `extra` line. */
export function formatReceipt(path: StatementPath, proof: Omit<TlogProof, 'extra'>): string {
  const { name, nonce, size, index } = path;
  const extra = jcs({ name, nonce: toBase64(nonce), size, index, path: path.path.map(toBase64) });
  return formatTlogProof({ ...proof, extra: Buffer.from(extra) });
}

export interface Receipt {
  readonly proof: TlogProof;
  readonly statement: StatementPath;
}

/** Reads a receipt without verifying anything. @throws LogProofError `malformed`, `too_large` */
export function parseReceipt(input: Uint8Array | string): Receipt {
  const proof = parseTlogProof(input);
  if (proof.extra === null)
    return refuse('malformed', 'The proof has no extra line, so it is no receipt of Cairn for a statement.');
  const { nonce, path, ...rest } = extraOf(proof.extra);
  return { proof, statement: { ...rest, nonce: Buffer.from(nonce, 'base64'), path: path.map(bytesOf) } };
}

const bytesOf = (text: string) => Buffer.from(text, 'base64');

function extraOf(bytes: Uint8Array): z.infer<typeof extraSchema> {
  const text = Buffer.from(bytes).toString();
  try {
    const value = extraSchema.parse(JSON.parse(text));
    if (jcs(value) === text) return value;
  } catch {}
  return refuse(
    'malformed',
    'The extra line of the receipt is not the RFC 8785 form of {"index", "name", "nonce", "path", "size"}.',
  );
}

/** The entry of the service log to which a statement leads. @throws LogProofError `wrong_index`, `wrong_size`, `wrong_path` */
export function serviceLeafOf(
  { name, nonce, size, index, path }: StatementPath,
  digests: StatementDigests,
): Uint8Array {
  const root = rootFromPath({ index, size, path, leaf: leafHash(statementEntry(digests)) });
  return leafHash(serviceEntry({ blindedName: blindedName(name, nonce), size, root }));
}

export interface VerifiedReceipt extends VerifiedCheckpoint {
  /** The name of the log that has the statement, such as `graphs/<uuid>`. */
  readonly log: string;
  readonly index: number;
  readonly size: number;
}

/**
 * Verifies that a statement is in a log.
 * @throws LogProofError `wrong_entry` for a receipt of another statement, or as `verifyTlogProof`.
 */
export function verifyReceipt(
  input: Uint8Array | string,
  digests: StatementDigests,
  trust: LogTrust,
): VerifiedReceipt {
  const { proof, statement } = parseReceipt(input);
  const { name: log, index, size } = statement;
  const verified = verifyCheckpoint(proof.checkpoint, trust);
  const { checkpoint } = verified;
  const root = (each: StatementDigests) =>
    rootFromPath({ ...proof, size: checkpoint.size, leaf: serviceLeafOf(statement, each) });
  // The service may have stored the statement before anybody could verify its context.
  const isProved = [digests, { ...digests, rdfcDigest: null }].some((each) =>
    isSameHash(root(each), checkpoint.root),
  );
  if (!isProved)
    refuse(
      'wrong_entry',
      'The receipt belongs to another statement, or was changed: it does not lead to its checkpoint.',
    );
  return { log, index, size, ...verified };
}
