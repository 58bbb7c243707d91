import { z } from 'zod';
import type { CheckedCheckpoint, CheckpointChecks } from './checkpoint-checks.ts';
import { serviceEntry } from './entries.ts';
import { leafHash } from './merkle/hashing.ts';
import { type TileReader, verifyInclusion } from './merkle/proofs.ts';
import { blindedName } from './names.ts';
import { formatTlogProof, parseTlogProof, type TlogProof } from './notes/tlog-proof.ts';
import { refuse } from './proof-error.ts';

/** That the service log has a head of a log: a tlog-proof whose leaf follows from the name, the size and the root. */
export interface HeadProof {
  /** A `LogName`. */
  readonly log: string;
  /** What blinds the name. */
  readonly nonce: Uint8Array;
  readonly size: number;
  readonly proof: Omit<TlogProof, 'extra'>;
}

const extra = z.strictObject({
  name: z.string().min(1).max(500),
  nonce: z.base64().length(44),
  size: z.int().nonnegative(),
});

/** The extra data are RFC 8785 JSON. */
export function formatHeadProof({ log, nonce, size, proof }: HeadProof): string {
  const fields = { name: log, nonce: Buffer.from(nonce).toString('base64'), size };
  return formatTlogProof({ ...proof, extra: Buffer.from(JSON.stringify(fields)) });
}

/** @throws LogProofError `malformed`, `too_large` */
export function parseHeadProof(text: string): HeadProof {
  const proof = parseTlogProof(text);
  const { name, nonce, size } = extraOf(proof.extra);
  return { log: name, nonce: Buffer.from(nonce, 'base64'), size, proof };
}

function extraOf(bytes: Uint8Array | null): z.output<typeof extra> {
  if (!bytes) return refuse('malformed', 'The proof has no extra line, which names its log.');
  try {
    return extra.parse(JSON.parse(Buffer.from(bytes).toString()));
  } catch {
    return refuse('malformed', 'The extra data of the proof are not {"name", "nonce", "size"} of a log.');
  }
}

/** The newest head of a log in a published checkpoint. */
export interface PublishedHead {
  /** A `LogName`. */
  readonly log: string;
  readonly size: number;
  /** As `formatHeadProof` makes it. */
  readonly proof: string;
  readonly tiles: TileReader;
  /** An entry of the log. */
  entry(index: number): Promise<Uint8Array>;
}

/** A head of a log, as a checkpoint of the service log has it. */
export interface SeenHead extends Pick<HeadProof, 'log' | 'nonce' | 'size'> {
  readonly root: Uint8Array;
  /** The size of the service log when this head was its newest entry. */
  readonly serviceSize: number;
  readonly checkpoint: CheckedCheckpoint;
}

/** @param root of the log, recomputed. @throws LogProofError */
export function verifyHeadProof(
  { log, nonce, size, proof }: HeadProof,
  root: Uint8Array,
  checks: CheckpointChecks,
): SeenHead {
  const checkpoint = checks.check(proof.checkpoint);
  const leaf = leafHash(serviceEntry({ blindedName: blindedName(log, nonce), size, root }));
  const { index, path } = proof;
  verifyInclusion({ index, size: checkpoint.size, leaf, path, root: checkpoint.root });
  return { log, nonce, size, root, serviceSize: index + 1, checkpoint };
}
