import { eachRecord } from '../../collections/records.ts';
import { ServiceError } from '../../errors.ts';
import { isObject } from '../../json/is-object.ts';
import { upgradeSteps } from '../upgrades/upgrades.ts';
import type { Migration } from './run.ts';

/** The target would not do its upgrade steps again for content of an older version. @throws ServiceError `conflict`. */
export async function assertSourceIsCurrent({
  source,
  target,
}: Pick<Migration, 'source' | 'target'>): Promise<void> {
  const behind = new Set<string>();
  for await (const page of source.records(upgradeSteps))
    for (const { id, record } of page) if (isObject(record) && record.finishedAt !== null) behind.add(id);
  for await (const { step, title } of eachRecord(target.of(upgradeSteps), 'key', []))
    if (!behind.has(step))
      throw new ServiceError(
        'conflict',
        `The target has upgrade step ${step} (${title}) behind it, and the source has not. Run "cairn setup" on the ` +
          'source first.',
      );
}
