import type { RecordStore } from '../domain/collections/collection.ts';
import type { ExportResults, GraphImports, SpoolStore } from '../domain/integrity/manifest/ports.ts';
import type { BlobStore, GraphStore } from '../domain/integrity/ports.ts';
import type { PlannedStatements } from '../domain/integrity/statements/planned-store.ts';
import type { GraphReads, StatementRowsOfStore } from '../domain/integrity/statements/rows.ts';

/** The stores of a service, whatever is behind them. */
export interface Store extends RecordStore, PlannedStatements, AsyncDisposable {
  /** Where it is, in words for a log: without passwords. */
  readonly place: string;
  readonly graphs: GraphStore;
  readonly graphImports: GraphImports;
  readonly spools: SpoolStore;
  readonly exportResults: ExportResults;
  readonly blobs: BlobStore;
  /** The time that all processes on this store go by, whatever their own clocks say. */
  now(): Date;
  /** @throws ServiceError `unavailable` when the store does not answer. */
  ready(): Promise<void>;
}

/** A store with what its planner reads. */
export interface PlannedStore extends Store {
  readonly rows: StatementRowsOfStore;
  readonly graphReads: GraphReads;
}
