import type { Bucket, Buckets } from '../domain/bucket.ts';
import type { RecordStore, TermStore } from '../domain/collections/collection.ts';
import type { ExchangeSeries } from '../domain/control-plane/projects/time-series.ts';
import type { HashingPorts } from '../domain/integrity/blobs/hash-unhashed.ts';
import type { SameBytes } from '../domain/integrity/blobs/same-bytes.ts';
import type { Folders } from '../domain/integrity/folders/folders.ts';
import type { GraphImports, SpoolStore } from '../domain/integrity/manifest/ports.ts';
import type { NameIndex } from '../domain/integrity/names/name-index.ts';
import type { BlobStore, GraphStore } from '../domain/integrity/ports.ts';
import type { ThingSearch } from '../domain/integrity/search/search.ts';
import type { PlannedStatements, StoreOfRows } from '../domain/integrity/statements/statement-index.ts';
import type { LoggedRows, UnloggedStatements } from '../domain/log/ports.ts';
import type { UpgradeProgress } from '../domain/maintenance/upgrades/upgrades.ts';

/** A pool of connections. `failures` counts requests that got no connection. */
export interface ConnectionCounts {
  readonly limit: number;
  readonly open: number;
  readonly used: number;
  readonly waiting: number;
  readonly failures: number;
}

/** The statements, graphs and records of a store. Its blobs are in buckets. */
export interface StoreDatabase extends RecordStore, TermStore, StoreOfRows, AsyncDisposable {
  /** Where the store is, for logs, without passwords. */
  readonly place: string;
  /** Whether a process was killed while it wrote to the store. */
  readonly wasInterrupted: boolean;
  readonly graphs: GraphStore;
  readonly graphImports: GraphImports;
  readonly spools: SpoolStore;
  readonly exchangeSeries: ExchangeSeries;
  readonly unlogged: UnloggedStatements;
  readonly loggedRows: LoggedRows;
  /** Aborts with a ServiceError when the store cannot work again in this process. */
  readonly failure: AbortSignal;
  /** The connections to the server of the store; undefined if it has none. */
  readonly connections?: () => ConnectionCounts;
  /** The clock that all processes on this store share. */
  now(): Date;
  /** @throws ServiceError `unavailable` when the store does not answer. */
  ready(): Promise<void>;
}

/** A store with the rows that the domain plans its queries on. */
export interface PlannedStore
  extends Omit<StoreDatabase, 'statements'>,
    PlannedStatements,
    Pick<Buckets, 'exportResults' | 'sealedContents'> {
  readonly blobs: BlobStore;
  readonly blobHashing: Omit<HashingPorts, 'hash'> & { readonly bucket: Bucket };
  readonly folders: Folders;
  /** A step that brings the store up to date, see `indexOlderFolders`. */
  readonly indexOlderFolders: (position: string | null) => AsyncIterable<UpgradeProgress>;
  readonly names: NameIndex;
  readonly search: ThingSearch;
  readonly sameBytes: SameBytes;
  /** A step that brings the store up to date, see `indexNamesAgain`. */
  readonly indexNamesAgain: (position: string | null) => AsyncIterable<UpgradeProgress>;
  /** A step that brings the store up to date, see `indexForSearch`. */
  readonly indexForSearch: (position: string | null) => AsyncIterable<UpgradeProgress>;
  /** A step that brings the store up to date, see `searchOlderFolders`. */
  readonly searchOlderFolders: (position: string | null) => AsyncIterable<UpgradeProgress>;
  /** Indexes files of folders for the search, see `indexDueFolders`. */
  readonly indexDueFolders: (stop?: AbortSignal) => Promise<number>;
}

export type Store = Omit<PlannedStore, Exclude<keyof StoreOfRows, 'statements' | 'rows'> | 'wasInterrupted'>;
