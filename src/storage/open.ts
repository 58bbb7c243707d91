import type {
  ExportResults,
  GraphContents,
  GraphImports,
  SpoolStore,
} from '../domain/integrity/manifest-ports.ts';
import type {
  BlobStore,
  GraphStore,
  RunTimeLimitStore,
  StatementIndex,
  StatementStore,
} from '../domain/integrity/ports.ts';
import type { JobStore } from '../domain/jobs.ts';
import { openEmbedded } from './embedded/open-embedded.ts';

/** The stores of a service, whatever is behind them. */
export interface Store extends AsyncDisposable {
  readonly statements: StatementStore;
  readonly statementIndex: StatementIndex;
  readonly graphs: GraphStore;
  readonly graphContents: GraphContents;
  readonly graphImports: GraphImports;
  readonly spools: SpoolStore;
  readonly jobs: JobStore;
  readonly exportResults: ExportResults;
  readonly blobs: BlobStore;
  readonly runTimeLimits: RunTimeLimitStore;
  /** @throws when the store does not answer. */
  ready(): Promise<void>;
}

/** The one place where a store is chosen. @throws ServiceError `unavailable`, `storage_full`. */
export async function openStore({ dataDir }: { readonly dataDir: string }): Promise<Store> {
  return await openEmbedded(dataDir);
}
