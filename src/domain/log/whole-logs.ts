import { statementEntry } from './entries.ts';
import type { SeenHead } from './head-proof.ts';
import { hashSize, isSameHash, leafHash } from './merkle/hashing.ts';
import { MerkleRange } from './merkle/range.ts';
import type { VerifiedReceipt } from './receipt.ts';

/** A log from its first entry to a head. */
export interface LeavesOfLog extends Pick<SeenHead, 'log' | 'nonce' | 'size'> {
  /** The leaf hashes, one after the other. */
  readonly leaves: Uint8Array;
}

/** What a receipt says about a log that is known whole. */
export type ReceiptStanding =
  /** The log has the statement there. */
  | 'included'
  /** The statement came after the head. */
  | 'later'
  /** The log has something else there. Both heads are of the same log, so the service told somebody something untrue. */
  | 'omitted'
  /** The log has the statement there, but another history before or after it. */
  | 'other_history'
  /** There are two logs of the same thing. */
  | 'other_log';

/** Compares receipts with a log that is known whole. */
export class WholeLogChecks {
  readonly #log: LeavesOfLog;
  /** Roots at the sizes of receipts. */
  readonly #roots = new Map<number, Uint8Array>();

  constructor(log: LeavesOfLog) {
    this.#log = log;
  }

  standingOf({ nonce, index, size, root, statement }: VerifiedReceipt): ReceiptStanding {
    if (!isSameHash(nonce, this.#log.nonce)) return 'other_log';
    if (index >= this.#log.size) return 'later';
    if (!isSameHash(leafOf(this.#log, index), leafHash(statementEntry(statement)))) return 'omitted';
    return size > this.#log.size || isSameHash(this.#rootAt(size), root) ? 'included' : 'other_history';
  }

  #rootAt(size: number): Uint8Array {
    return this.#roots.getOrInsertComputed(size, () => {
      const range = new MerkleRange();
      for (let index = 0; index < size; index += 1) range.append(leafOf(this.#log, index));
      return range.root();
    });
  }
}

function leafOf({ leaves }: LeavesOfLog, index: number): Uint8Array {
  return leaves.subarray(index * hashSize, (index + 1) * hashSize);
}

/** How a log became another one of the same name. */
export type LogChange =
  | { readonly kind: 'grown'; readonly by: number }
  /** The second one ends earlier, and is the beginning of the first one. */
  | { readonly kind: 'shorter'; readonly by: number }
  /** They differ at this entry, so one of them is not what the log had. */
  | { readonly kind: 'differs'; readonly index: number }
  | { readonly kind: 'other_log' };

export function changeOf(older: LeavesOfLog, newer: LeavesOfLog): LogChange {
  if (!isSameHash(older.nonce, newer.nonce)) return { kind: 'other_log' };
  const common = Math.min(older.size, newer.size);
  for (let index = 0; index < common; index += 1)
    if (!isSameHash(leafOf(older, index), leafOf(newer, index))) return { kind: 'differs', index };
  const by = newer.size - older.size;
  return by >= 0 ? { kind: 'grown', by } : { kind: 'shorter', by: -by };
}
