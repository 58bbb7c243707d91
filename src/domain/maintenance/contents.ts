import type { z } from 'zod';
import type { Bucket, Buckets } from '../bucket.ts';
import type { Collection, ReadRecordStore } from '../collections/collection.ts';
import type { Cid } from '../integrity/identifiers/cid.ts';
import type { GraphAttachments } from '../integrity/manifest/ports.ts';
import type { BlobStore, Graph, StatementRow } from '../integrity/ports.ts';
import type { LoggedRows, UnloggedRows } from '../log/ports.ts';
import {
  messageOfDamage,
  type ProblemKind,
  type Repairing,
  type StoreProblem,
  type Unreadable,
} from './problems.ts';

export interface StoreCounts {
  readonly statements: number;
  readonly blobs: number;
}

/** The content of a statement. Everything else that a store keeps about it can be computed from this. */
export interface StatementEntry extends Pick<StatementRow, 'jcsCid' | 'jcs' | 'contextSet' | 'isTrusted'> {
  /** As in `WholeStatement`. */
  readonly position: number;
  /** Registered graphs, oldest membership first. */
  readonly graphIds: readonly string[];
  /** As `StatementStore.registrarOf`. */
  readonly registrar: string | null;
  /** Whether the store keeps exactly what it would keep for this row. */
  holds(row: StatementRow): boolean;
}

export interface RecordEntry {
  /** The key, or the position of the record in the store. */
  readonly id: string;
  /** undefined if it is not JSON. */
  readonly record: unknown;
}

/** Everything in a store, read as it is. On MongoDB other processes may write meanwhile. */
export interface StoreContents
  extends ReadRecordStore,
    Pick<Buckets, 'exportResults' | 'sealedContents'>,
    AsyncDisposable {
  /** Description of the store for a log. */
  readonly place: string;
  readonly blobBucket: Bucket;
  /** The blobs of that bucket, verified. */
  readonly blobs: BlobStore;
  /** May be an estimate. */
  statementCount(): Promise<number>;
  /**
   * The verified statements in the order of storing, then the unverified ones, in pages that every store can take in
   * one write.
   * @param isWanted called with the digest of each `jcs_cid`. The others are not read.
   */
  statements(isWanted: IsWanted): AsyncIterable<readonly (StatementEntry | Unreadable)[]>;
  /** In the order of registration. */
  graphs(): AsyncIterable<Graph>;
  graph(graphId: string): Promise<Graph | undefined>;
  attachments(graphId: string): Promise<GraphAttachments>;
  records(declared: Collection): AsyncIterable<readonly RecordEntry[]>;
  readonly loggedRows: Pick<LoggedRows, 'at'>;
}

export type IsWanted = (digest: Uint8Array) => boolean;

export interface DerivedProblem {
  readonly kind: Extract<ProblemKind, 'duplicate' | 'index' | 'membership' | 'count'>;
  readonly id: string;
  readonly problem: string;
}

/** A store with what only it can check and repair. */
export interface CheckedStore extends StoreContents {
  /** The clock that all processes on this store share. */
  now(): Date;

  /** The database itself: its file and its indexes. */
  database(run: Repairing): AsyncIterable<StoreProblem>;

  /**
   * Replaces what the store keeps beside the bytes of a row. @returns false if the row has changed since it was read.
   */
  rewrite(row: StatementRow): Promise<boolean>;

  /** Data that follows from all rows together: index entries, the order of graphs, memberships, counts. */
  readonly derived: {
    check(): AsyncIterable<DerivedProblem>;
    rebuild(): Promise<void>;
  };

  readonly unlogged: UnloggedRows;

  /** The `jcs_cid`s that are stored. */
  hasStatements(jcsCids: readonly Cid[]): Promise<ReadonlySet<string>>;

  /** Stores a record that follows from content, also over a wrong one. */
  putRecord<Shape extends z.ZodObject>(declared: Collection<Shape>, record: z.output<Shape>): Promise<void>;

  /** Removes a record that can be made again. */
  removeRecord(declared: Collection, key: string): Promise<void>;

  /** Leftovers of interrupted work. */
  orphans(run: Repairing): AsyncIterable<StoreProblem>;
}

/** A checked store without its buckets. */
export type CheckedDatabase = Omit<CheckedStore, 'blobBucket' | keyof Buckets>;

/** For the progress only. The part that is damaged reports the damage. */
export async function countsOf({
  blobBucket,
  statementCount,
}: Pick<StoreContents, 'blobBucket' | 'statementCount'>): Promise<StoreCounts | undefined> {
  try {
    let blobs = 0;
    for await (const _ of blobBucket.names()) blobs += 1;
    return { statements: await statementCount(), blobs };
  } catch (error) {
    messageOfDamage(error);
    return undefined;
  }
}
