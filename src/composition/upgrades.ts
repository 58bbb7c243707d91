import { loggedKinds } from '../domain/collections/logged.ts';
import { stateRecords } from '../domain/control-plane/gateway/runtime-records.ts';
import { indexStoredBlobs, stateBlobs } from '../domain/control-plane/gateway/state-blobs.ts';
import { retractions } from '../domain/integrity/retractions/retraction-records.ts';
import { foldEntriesAgain } from '../domain/integrity/search/fold-again.ts';
import { searchEntries } from '../domain/integrity/search/search-entries.ts';
import type { SignatureVerifying } from '../domain/integrity/signatures/check.ts';
import { checkSignaturesAgain } from '../domain/integrity/signatures/check-again.ts';
import { signatures } from '../domain/integrity/signatures/signatures.ts';
import { noteBacklogs } from '../domain/log/appending/unlogged-records.ts';
import {
  bringUpToDate,
  inOneWrite,
  type Upgrade,
  upgradeSteps,
} from '../domain/maintenance/upgrades/upgrades.ts';
import type { Log } from '../platform/log.ts';
import type { Store } from '../storage/open.ts';

interface UpgradedParts {
  readonly store: Store;
  readonly verifying: SignatureVerifying;
}

/** The steps that have been published, oldest first. Numbers never change. */
function upgradesOf({ store, verifying }: UpgradedParts): readonly Upgrade[] {
  return [
    {
      step: 1,
      title: 'Check the signatures of stored statements again',
      run: (position) =>
        checkSignaturesAgain(
          {
            signatures: store.of(signatures),
            retractions: store.of(retractions),
            statements: store.statements,
            verifying,
          },
          position,
        ),
    },
    {
      step: 2,
      title: 'Index the blobs of stored states',
      run: (position) =>
        indexStoredBlobs({ states: store.of(stateRecords), stateBlobs: store.of(stateBlobs) }, position),
    },
    {
      step: 3,
      title: 'Index names in the order in which they were stored',
      run: (position) => store.indexNamesAgain(position),
    },
    {
      step: 4,
      title: 'Index names and graphs for the search',
      run: (position) => store.indexForSearch(position),
    },
    {
      step: 5,
      title: 'Index the files of folders',
      run: (position) => store.indexOlderFolders(position),
    },
    {
      step: 6,
      title: 'Note the folders whose files are indexed for the search',
      run: (position) => store.searchOlderFolders(position),
    },
    {
      step: 7,
      title: 'Note the stored statements for the logs',
      run: () => inOneWrite(() => store.unlogged.noteAll()),
    },
    {
      step: 8,
      title: 'Note the stored records for the logs',
      run: () => inOneWrite(() => noteBacklogs(store, loggedKinds)),
    },
    {
      step: 9,
      title: 'Index names for the search without accents',
      run: (position) => foldEntriesAgain(store.of(searchEntries), position),
    },
  ];
}

const progressMs = 3_000;

/**
 * Brings a store up to date before anything else uses it.
 * @throws ServiceError `unavailable` if a newer program has changed the store so that this one cannot use it.
 */
export async function upgradeStore(parts: UpgradedParts, log: Log): Promise<void> {
  const steps = parts.store.of(upgradeSteps);
  let saidAt = Number.NEGATIVE_INFINITY;
  const onProgress = ({ step, title }: Upgrade, done: number) => {
    const now = performance.now();
    if (now - saidAt < progressMs) return;
    saidAt = now;
    log.info({ step, done }, `Upgrading the store, ${done} done: ${title}.`);
  };
  await bringUpToDate({ steps, onProgress, now: () => new Date() }, upgradesOf(parts));
}
