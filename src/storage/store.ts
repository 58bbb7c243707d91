import type { RecordStore } from '../domain/collections/collection.ts';
import type { ExchangeSeries } from '../domain/control-plane/projects/time-series.ts';
import type { GraphImports, SpoolStore } from '../domain/integrity/manifest/ports.ts';
import type { NameIndex } from '../domain/integrity/names/name-index.ts';
import type { BlobStore, GraphStore } from '../domain/integrity/ports.ts';
import type { PlannedStatements } from '../domain/integrity/statements/planned-store.ts';
import type { GraphReads, RowsSnapshot, StatementRowsOfStore } from '../domain/integrity/statements/rows.ts';
import type { NamedContents } from '../domain/named-contents.ts';

/** A pool of connections. `failures` counts requests that got no connection. */
export interface ConnectionCounts {
  readonly limit: number;
  readonly open: number;
  readonly used: number;
  readonly waiting: number;
  readonly failures: number;
}

export interface Store extends RecordStore, PlannedStatements, AsyncDisposable {
  /** Where the store is, for logs, without passwords. */
  readonly place: string;
  readonly graphs: GraphStore;
  readonly graphImports: GraphImports;
  readonly spools: SpoolStore;
  /** Finished manifests. */
  readonly exportResults: NamedContents;
  /** Bodies of exchanges and state blobs. No integrity route reads them. */
  readonly sealedContents: NamedContents;
  readonly blobs: BlobStore;
  readonly names: NameIndex;
  readonly exchangeSeries: ExchangeSeries;
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
export interface PlannedStore extends Store {
  readonly rows: StatementRowsOfStore;
  readonly graphReads: GraphReads;
  snapshot(): Promise<RowsSnapshot>;
}
