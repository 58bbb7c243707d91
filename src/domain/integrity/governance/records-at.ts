import { eachRecord } from '../../collections/records.ts';
import { ServiceError } from '../../errors.ts';
import type { GovernanceRecord, GovernanceRecords } from './governance-records.ts';

/** They are held in memory. */
const recordsLimit = 100_000;

/** What this service has registered in a project or about a subject, oldest first. @throws ServiceError `too_large`. */
export async function recordsAt(
  records: Pick<GovernanceRecords, 'page'>,
  index: 'byProject' | 'bySubject',
  prefix: readonly string[],
): Promise<GovernanceRecord[]> {
  const found: GovernanceRecord[] = [];
  for await (const record of eachRecord(records, index, prefix)) {
    if (found.push(record) > recordsLimit)
      throw new ServiceError(
        'too_large',
        `More than ${recordsLimit} governance records are not read at once.`,
      );
  }
  return found;
}
