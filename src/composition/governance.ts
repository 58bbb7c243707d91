import { statusEntries } from '../domain/integrity/credentials/status-entries.ts';
import {
  certificateRequests,
  governanceDocuments,
  governanceRecords,
} from '../domain/integrity/governance/governance-records.ts';
import type { Store } from '../storage/open.ts';

/** The records that governance works with. */
export function governancePorts(store: Pick<Store, 'of'>) {
  return {
    governanceDocuments: store.of(governanceDocuments),
    governanceRecords: store.of(governanceRecords),
    certificateRequests: store.of(certificateRequests),
    statusEntries: store.of(statusEntries),
  };
}
