import type { RecordStore } from '../../collections/collection.ts';
import type { GraphContents, GraphImports } from '../../integrity/manifest/ports.ts';
import type { BlobStore, GraphStore, StatementStore, StoredStatement } from '../../integrity/ports.ts';
import type { StoreContents, Unreadable } from '../fsck/ports.ts';
import type { Rechecker } from '../fsck/recheck.ts';

/** Neighbours in the order in which they were stored: no more than a store takes in one step. */
export interface HistoryPage {
  readonly entries: readonly (StoredStatement | Unreadable)[];
  /** Pass as `after` to go on behind this page. */
  readonly last: string;
}

export interface StoreHistory {
  /**
   * Statements in the order in which they were stored, with all of their graphs that are registered.
   * @param after `last` of a page, or null from the beginning.
   */
  statementsInOrder(after: string | null): AsyncIterable<HistoryPage>;
  /** How many graphs all statements are in together. It grows whenever one that was stored before joins another. */
  memberships(): Promise<number>;
  readonly graphContents: Pick<GraphContents, 'count'>;
}

/** Nobody writes to it meanwhile. */
export type MigrationSource = StoreHistory &
  Pick<StoreContents, 'counts' | 'blobs' | 'blobStore' | 'graphs' | 'graph' | 'attachments' | 'records'>;

export interface MigrationTarget extends RecordStore {
  readonly blobs: BlobStore;
  readonly graphs: Pick<GraphStore, 'add' | 'get'>;
  readonly graphImports: GraphImports;
  readonly graphContents: Pick<GraphContents, 'statements' | 'attachments'>;
  readonly statements: Pick<StatementStore, 'putMany' | 'byJcsCid'>;
}

/** How far a migration has come. */
export interface MigrationState {
  /** Where the statements go on; null before the first page. */
  readonly after: string | null;
  /** Statements that have been looked at. */
  readonly done: number;
  /** `jcs_cid` of the last trusted statement that was stored; null before. */
  readonly newest: string | null;
  /** Of the source, when it began. */
  readonly memberships: number;
}

/** What is remembered of a migration from one run to the next. */
export interface MigrationMemory {
  /** undefined for one that has not begun. */
  read(): MigrationState | undefined;
  write(state: MigrationState): void;
}

/** Of one that has not begun. */
export const noMigration: MigrationState = { after: null, done: 0, newest: null, memberships: 0 };

export type MigrationPart = 'blobs' | 'graphs' | 'statements' | 'records';

export interface Migrating {
  readonly source: MigrationSource;
  readonly target: MigrationTarget;
  readonly rechecker: Rechecker;
  readonly memory: MigrationMemory;
  readonly onProgress: (part: MigrationPart, done: number, total: number | undefined) => void;
}

export interface MigrationSummary {
  readonly graphs: number;
  readonly blobs: number;
  readonly statements: number;
  /** Of users, the audit log and so on. */
  readonly records: number;
  /** How many of all these the target did not have before this run. */
  readonly stored: number;
  /** What is not in the target, as it is damaged. */
  readonly leftOut: number;
  /** What is wrong with graphs, which are in the target as they are in the source. */
  readonly damaged: number;
}

export type MigrationCounts = { -readonly [Name in keyof MigrationSummary]: number };
