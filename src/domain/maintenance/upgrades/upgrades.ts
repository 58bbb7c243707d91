import { z } from 'zod';
import { collection, type RecordsOf } from '../../collections/collection.ts';
import { eachRecord, type Page } from '../../collections/records.ts';
import { ServiceError } from '../../errors.ts';

/** The upgrade steps that a store has behind it, or that have begun. */
export const upgradeSteps = collection('upgrade_steps', {
  shape: z.object({
    /** The number of the step. */
    step: z.string().min(1),
    title: z.string().min(1),
    /** Whether programs that do not know the step can no longer use the store. */
    isBreaking: z.boolean(),
    /** Where it goes on after it was stopped; null at its start. */
    position: z.string().nullable(),
    finishedAt: z.int().nullable(),
  }),
  key: 'step',
  // A copy of the store does its steps anew, also for what it had before.
  isTransient: true,
});

/**
 * A change of what a store holds. Tables, collections and indexes need none, because stores create what is missing.
 *
 * It may stop at any point and run again, and two processes may run it at once. During a rolling update older processes go on
 * working beside it. So a step first adds, and a step of a later version removes what only older versions read.
 */
export interface Upgrade {
  readonly step: number;
  /** What it does, such as "Check all signatures again". */
  readonly title: string;
  /** Whether older programs can no longer use the store afterwards. Default: false. */
  readonly isBreaking?: boolean;
  /**
   * @param position of the last part of the work that was done before; null for all of it.
   * @returns after each part of the work, where it has got to.
   */
  run(position: string | null): AsyncIterable<UpgradeProgress>;
}

export interface UpgradeProgress {
  /** How many things this run has changed or checked. */
  readonly done: number;
  readonly position: string;
}

/** A step that goes through records page by page. */
export async function* upgradePages<Item>(
  read: (after: string | null) => Promise<Page<Item>>,
  work: (items: readonly Item[]) => Promise<unknown>,
  position: string | null,
): AsyncGenerator<UpgradeProgress> {
  let done = 0;
  for (let after: string | null | undefined = position; after !== undefined; ) {
    const page: Page<Item> = await read(after);
    await work(page.records);
    done += page.records.length;
    after = page.next;
    if (after !== undefined) yield { done, position: after };
  }
}

/** A step that is one write, so that there is no progress to tell. */
export async function* inOneWrite(write: () => Promise<void>): AsyncGenerator<UpgradeProgress> {
  await write();
  yield* [];
}

export interface Upgrading {
  readonly steps: Pick<RecordsOf<typeof upgradeSteps>, 'page' | 'insert' | 'update'>;
  /** Called after each part of the work of a step. */
  readonly onProgress: (upgrade: Upgrade, done: number) => void;
  readonly now: () => Date;
}

/**
 * Does the steps that a store has not behind it, in order.
 * @throws ServiceError `unavailable` if a newer program has changed the store so that this one cannot use it.
 */
export async function bringUpToDate(
  { steps, onProgress, now }: Upgrading,
  upgrades: readonly Upgrade[],
): Promise<void> {
  const begun = new Map<string, z.output<typeof upgradeSteps.shape>>();
  for await (const record of eachRecord(steps, 'key', [])) {
    const { step, title, isBreaking } = record;
    if (isBreaking && !upgrades.some((upgrade) => String(upgrade.step) === step))
      throw new ServiceError(
        'unavailable',
        `A newer Cairn has changed the store (step ${step}: ${title}), so this version cannot use it. Start the newer ` +
          'version, or choose another store with CAIRN_DATA_DIR or CAIRN_MONGODB_DATABASE.',
      );
    begun.set(step, record);
  }
  for (const upgrade of upgrades) {
    const { title, isBreaking = false } = upgrade;
    const step = String(upgrade.step);
    const { position = null, finishedAt = null } = begun.get(step) ?? {};
    if (finishedAt !== null) continue;
    // Before it changes anything, so that older programs keep out of a store that is half changed.
    await steps.insert([{ step, title, isBreaking, position, finishedAt }]);
    for await (const progress of upgrade.run(position)) {
      await steps.update(step, {}, { position: progress.position });
      onProgress(upgrade, progress.done);
    }
    await steps.update(step, {}, { finishedAt: now().getTime() });
  }
}
