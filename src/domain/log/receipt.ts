import { z } from 'zod';
import { fromBase64, toBase64 } from '../base64.ts';
import { jcs } from '../integrity/identification/jcs.ts';
import { cidUrn, codecs, makeCid } from '../integrity/identifiers/cid.ts';
import type { CheckpointChecks } from './checkpoint-checks.ts';
import { parseStatementEntry, type StatementDigests, statementEntry } from './entries.ts';
import { type SeenHead, verifyHeadProof } from './head-proof.ts';
import { hashSize, isSameHash, leafHash } from './merkle/hashing.ts';
import { rootFromPath } from './merkle/proofs.ts';
import { formatTlogProof, parseTlogProof, type TlogProof } from './notes/tlog-proof.ts';
import { refuse } from './proof-error.ts';

/** How a statement leads to an entry of the service log: through the head of its own log. */
export interface StatementPath {
  /** Name and nonce of the log that has the statement. */
  readonly name: string;
  readonly nonce: Uint8Array;
  /** The size of that log at its head in the service log. */
  readonly size: number;
  readonly index: number;
  /** The entry there, which says which statement it is. */
  readonly entry: Uint8Array;
  readonly path: readonly Uint8Array[];
}

const base64Hash = z.string().refine((text) => fromBase64(text)?.length === hashSize);
const mostHashes = 53;
const longestName = 500;
const longestEntry = 200;
const extraSchema = z.strictObject({
  name: z.string().max(longestName),
  nonce: base64Hash,
  size: z.int().nonnegative(),
  index: z.int().nonnegative(),
  entry: z.base64().max(longestEntry),
  path: z.array(base64Hash).max(mostHashes),
});

/** A receipt: the .tlog-proof of the entry of the service log, with the path of the statement in its `extra` line. */
export function formatReceipt(path: StatementPath, proof: Omit<TlogProof, 'extra'>): string {
  const { name, nonce, size, index, entry } = path;
  const hashes = path.path.map(toBase64);
  const extra = jcs({ name, nonce: toBase64(nonce), size, index, entry: toBase64(entry), path: hashes });
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
  const { nonce, entry, path, ...rest } = extraOf(proof.extra);
  const bytes = { nonce: bytesOf(nonce), entry: bytesOf(entry), path: path.map(bytesOf) };
  return { proof, statement: { ...rest, ...bytes } };
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
    'The extra line of the receipt is not the RFC 8785 form of {"entry", "index", "name", "nonce", "path", "size"}.',
  );
}

export interface VerifiedReceipt extends SeenHead {
  readonly index: number;
  readonly statement: StatementDigests;
}

/**
 * Verifies that a statement is in a log.
 * @param expected the statement that it must be; null for any.
 * @throws LogProofError `wrong_entry` for a receipt of another statement, or as `verifyHeadProof`.
 */
export function verifyReceipt(
  input: Uint8Array | string,
  expected: StatementDigests | null,
  checks: CheckpointChecks,
): VerifiedReceipt {
  const { proof, statement: there } = parseReceipt(input);
  const { name: log, nonce, size, index, entry, path } = there;
  const statement = parseStatementEntry(entry);
  if ('note' in statement)
    return refuse('wrong_entry', 'This is the receipt of a note of the service, not of a statement.');
  if (expected !== null && !isEntryOf(expected, entry))
    refuse('wrong_entry', `The receipt is of another statement: ${subjectOf(statement)}.`);
  const root = rootFromPath({ index, size, path, leaf: leafHash(entry) });
  return { ...verifyHeadProof({ log, nonce, size, proof }, root, checks), index, statement };
}

/** The service may have stored the statement before anybody could verify its context. */
function isEntryOf(digests: StatementDigests, entry: Uint8Array): boolean {
  const entries = [digests, { ...digests, rdfcDigest: null }].map(statementEntry);
  return entries.some((each) => isSameHash(each, entry));
}

/** The id of a statement. Of an unverified one, nobody knows it. */
export function subjectOf({ rdfcDigest, jcsDigest }: StatementDigests): string {
  return cidUrn(rdfcDigest ? makeCid(codecs.rdfc, rdfcDigest) : makeCid(codecs.jcs, jcsDigest));
}
