import type { Checkpoint } from './notes/checkpoint.ts';

/** What an entry of a statement is made of. */
export interface LoggedRow {
  /** As in `WholeStatement`. */
  readonly position: number;
  readonly rdfcDigest: Uint8Array;
  readonly jcsDigest: Uint8Array;
  /** Whether the row is verified. */
  readonly isTrusted: boolean;
}

/** Rows that joined a graph (null: that were stored without one). */
export interface UnloggedGroup {
  readonly graphId: string | null;
  readonly rows: readonly LoggedRow[];
  /** Whether they were stored before the service had logs. */
  readonly isOlder: boolean;
  readonly token: string;
}

/**
 * The rows of acknowledged writes that may lack an entry in their log. A row can come more than once, and rows that have an entry
 * can come.
 */
export interface UnloggedStatements {
  /** The oldest groups, with about `limit` rows. None if nothing is left. */
  next(limit: number): Promise<readonly UnloggedGroup[]>;

  /** Forgets groups whose rows are in their logs. A repeat changes nothing. */
  done(tokens: readonly string[]): Promise<void>;

  /** Notes every row that is stored, of which none is in a log. A repeat notes them again. */
  noteAll(): Promise<void>;
}

/** What fsck asks about rows that are in no log. */
export interface UnloggedRows {
  /** By place: whether `UnloggedStatements` has the row for the log of this graph. */
  areWaiting(graphId: string | null, rows: readonly LoggedRow[]): Promise<boolean[]>;

  /** Notes rows like the write that stored them. */
  note(graphId: string | null, rows: readonly LoggedRow[]): Promise<void>;
}

/** Finds rows again that a log refers to by their positions. */
export interface LoggedRows {
  /** The digests of the verified rows with these positions. Several rows may have one position. */
  at(positions: readonly number[]): Promise<readonly Omit<LoggedRow, 'isTrusted'>[]>;

  /** The positions of verified rows by the digests of their forms, in order; undefined for unknown ones. */
  positionsOf(jcsDigests: readonly Uint8Array[]): Promise<(number | undefined)[]>;
}

export interface TreeHead {
  readonly origin: string;
  readonly size: number;
  readonly root: Uint8Array;
}

/** Knows the largest tree that was signed, from outside of the store. */
export interface HeadGuard {
  /**
   * Called before a checkpoint is signed. When it resolves, the head is remembered.
   * @throws ServiceError `unavailable` if a larger tree, or another one of this size, was signed before.
   */
  admit(head: TreeHead): Promise<void>;
}

/** Asks witnesses for cosignatures. */
export interface Witnessing {
  /**
   * @param note a signed checkpoint. @param consistency makes a proof from an older size.
   * @returns the note with cosignatures; null while too few witnesses have answered.
   */
  cosigned(
    note: string,
    checkpoint: Checkpoint,
    consistency: (oldSize: number) => Promise<readonly Uint8Array[]>,
  ): Promise<string | null>;
}

/** Without witnesses. */
export const uncosigned: Witnessing = { cosigned: async (note) => note };
