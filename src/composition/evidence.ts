import { EvidencePool } from '../../workers/evidence-pool.ts';
import { Gathering } from '../domain/gathering.ts';
import { hashedByNow, hashingWaitMs } from '../domain/integrity/blobs/hashed-by-now.ts';
import { evidenceImports } from '../domain/integrity/evidence/evidence-records.ts';
import { lineageRuns, lineageUses } from '../domain/integrity/evidence/openlineage/run-records.ts';
import { billReader } from '../domain/integrity/policies/gathering/read-bill.ts';
import { remembering } from '../domain/integrity/policies/gathering/remembered-bills.ts';
import { KeyedTurns } from '../domain/keyed-turns.ts';
import { asSharedWork } from '../platform/http/callers.ts';
import type { Log } from '../platform/log.ts';
import type { Settings } from '../platform/settings/setting-table.ts';
import type { Store } from '../storage/open.ts';

/** What the import of evidence remembers and waits for, and the thread that reads large files. */
export function evidencePorts(
  opened: AsyncDisposableStack,
  store: Pick<Store, 'of' | 'blobHashing'>,
  { maxJsonDepth, evidenceTime }: Pick<Settings, 'maxJsonDepth' | 'evidenceTime'>,
  log: Log,
) {
  const pool = new EvidencePool(maxJsonDepth, evidenceTime, (err) =>
    log.error({ err }, 'The thread that reads evidence has failed or cannot start.'),
  );
  return {
    evidenceReader: opened.use(pool),
    readBill: remembering(billReader(pool)),
    evidenceImports: store.of(evidenceImports),
    lineageRuns: store.of(lineageRuns),
    lineageUses: store.of(lineageUses),
    lineageTurns: new KeyedTurns(),
    hashedByNow: () => hashedByNow(store.blobHashing, AbortSignal.timeout(hashingWaitMs)),
    evidenceRequests: new Gathering({ most: 100, atOnce: 1, around: asSharedWork }),
  };
}
