import type { Collection } from '../../collections/collection.ts';
import type { Cid } from '../../integrity/identifiers/cid.ts';
import type { ExportResults, GraphAttachments } from '../../integrity/manifest/ports.ts';
import type { BlobContent, BlobStore, Graph, StoredStatement } from '../../integrity/ports.ts';
import type { Job } from '../../jobs/jobs.ts';

/** What can be wrong in a store. */
export type ProblemKind =
  | 'database'
  | 'blob'
  | 'statement'
  | 'context-set'
  | 'graph'
  | 'attachment'
  | 'duplicate'
  | 'index'
  | 'membership'
  | 'count'
  | 'job'
  | 'result'
  | 'record'
  | 'upload'
  | 'import';

/** Something in a store that is not as it should be. */
export interface StoreProblem {
  readonly kind: ProblemKind;
  /** What it is about: a CID, a UUID, or a name inside of the store. */
  readonly id: string;
  /** What is wrong; where only an operator can help, what to do. */
  readonly problem: string;
  /** An orphan takes room and does no harm. Damage is a wrong answer, or a lack of one. */
  readonly severity: 'damage' | 'leftover';
  /** Whether a repair has put it right, or could. */
  readonly repair: 'done' | 'possible' | 'none';
}

/** An entry of a store that cannot even be read as what it should be. */
export interface Unreadable {
  readonly id: string;
  readonly problem: string;
}

export interface RecordEntry {
  /** The key, or where the entry is in the store. */
  readonly id: string;
  readonly record: unknown;
}

export interface StoreCounts {
  readonly statements: number;
  readonly blobs: number;
}

export interface FsckBlob {
  /** Raw: which codec the bytes were stored under is not kept. */
  readonly cid: Cid;
  /** @throws ServiceError without `retryAfter` when the bytes are not there whole. */
  read(): Promise<BlobContent | undefined>;
}

export interface FsckStatement {
  readonly statement: StoredStatement;
  /** What the store has derived from the row for its indexes and keeps beside it is what the row says. */
  readonly isDerivedRight: boolean;
}

/** Data that follows from the rows of a store and is not as it should be. */
export interface DerivedProblem {
  readonly what: Extract<ProblemKind, 'duplicate' | 'index' | 'membership' | 'count'>;
  readonly id: string;
  readonly problem: string;
}

/** Everything in a store that follows from its rows: entries of indexes, the order of graphs, counts. */
export interface DerivedData {
  check(): AsyncIterable<DerivedProblem>;
  /** Makes it anew from the rows. */
  rebuild(): Promise<void>;
}

/** Reads everything that a store has, as it stands. Pages are small, and nothing is left out because others write. */
export interface StoreContents {
  counts(): Promise<StoreCounts>;
  blobs(): AsyncIterable<FsckBlob | Unreadable>;
  /** For the documents behind statements. */
  readonly blobStore: BlobStore;
  /** @param isWanted asked about the digest of each `jcs_cid`; the others are not read. */
  statements(
    isWanted: (digest: Uint8Array) => boolean,
  ): AsyncIterable<readonly (FsckStatement | Unreadable)[]>;
  /** In the order of their registration. */
  graphs(): AsyncIterable<readonly Graph[]>;
  graph(graphId: string): Promise<Graph | undefined>;
  attachments(graphId: string): Promise<GraphAttachments>;
  /** The records of a collection as they are stored. One that is not even JSON is undefined. */
  records(declared: Collection): AsyncIterable<readonly RecordEntry[]>;
  job(id: string): Promise<Job | undefined>;
  readonly exportResults: Pick<ExportResults, 'names' | 'read' | 'remove'>;
}

/** Checks what only the store itself knows of, and puts it right where told to. */
export interface StoreCheck extends StoreContents, AsyncDisposable {
  /** Where it is, in words for a log: without passwords. */
  readonly place: string;

  /** The database itself: whether it is sound, and has the indexes that it should. */
  database(repair: boolean): AsyncIterable<StoreProblem>;

  /**
   * Puts a row that was identified again in place of what the store has derived from the same JCS bytes. The bytes,
   * the graphs and whether the row is trusted stay.
   * @returns false when the row has changed since it was read.
   */
  rewrite(statement: StoredStatement): Promise<boolean>;

  /** Memberships, counts, and whatever leads to statements, against the statements and back. */
  indexes(repair: boolean, onRows: (done: number) => void): AsyncIterable<StoreProblem>;

  /** What was on its way in when a process ended, and belongs to nobody any more. */
  orphans(repair: boolean): AsyncIterable<StoreProblem>;
}
