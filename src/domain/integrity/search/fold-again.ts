import { type UpgradeProgress, upgradePages } from '../../maintenance/upgrades/upgrades.ts';
import { entryIn, type SearchEntries } from './search-entries.ts';
import { foldedText } from './terms.ts';

const entriesAtOnce = 1_000;

/**
 * Folds the entries of an earlier version again, which kept accents. Processes of that version no longer find these.
 * @param position of the entries after which it goes on.
 */
export function foldEntriesAgain(
  entries: Pick<SearchEntries, 'page' | 'insert' | 'remove'>,
  position: string | null,
): AsyncGenerator<UpgradeProgress> {
  return upgradePages(
    (after) => entries.page('key', [], { after, limit: entriesAtOnce }),
    async (page) => {
      const older = page.filter(({ folded }) => foldedText(folded) !== folded);
      await entries.insert(older.flatMap((entry) => entryIn(entry.project, entry, entry.folded) ?? []));
      await Promise.all(older.map(({ id }) => entries.remove(id)));
    },
    position,
  );
}
