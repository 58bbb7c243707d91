import type { UpgradeProgress } from '../../maintenance/upgrades/upgrades.ts';
import type { ListedStatement, StatementList, StatementRowsOfStore } from './rows.ts';

/**
 * A step of an upgrade that goes through the rows of a list: first the verified ones, then the others.
 * @param position of the page after which it goes on.
 */
export async function* upgradeRows(
  rows: StatementRowsOfStore,
  { list, atOnce }: { readonly list: StatementList; readonly atOnce: number },
  work: (page: readonly ListedStatement[]) => Promise<void>,
  position: string | null,
): AsyncGenerator<UpgradeProgress> {
  const [first = 'verified', mark = null] = position?.split(' ') ?? [];
  let done = 0;
  for (const part of ['verified', 'unverified'] as const) {
    if (part === 'verified' && first !== part) continue;
    for (let after = part === first ? mark : null; ; ) {
      const page = await rows[part].page(list, after, atOnce);
      await work(page.rows);
      done += page.rows.length;
      if (page.next === null) break;
      after = page.next;
      yield { done, position: `${part} ${after}` };
    }
  }
}
