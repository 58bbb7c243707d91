import { eachRecord } from '../../collections/records.ts';
import { ServiceError } from '../../errors.ts';
import type { GovernanceRecord, GovernanceRecords } from './governance-records.ts';

/** They are held in memory. */
const recordsLimit = 100_000;

/**
 * What this service has registered in a project, oldest first.
 * @param subject null: about any subject.
 * @throws ServiceError `too_large`.
 */
export async function projectRecords(
  records: Pick<GovernanceRecords, 'page'>,
  projectId: string,
  subject: string | null = null,
): Promise<GovernanceRecord[]> {
  const found: GovernanceRecord[] = [];
  const all =
    subject === null
      ? eachRecord(records, 'byProject', [projectId])
      : eachRecord(records, 'bySubject', [projectId, subject]);
  for await (const record of all) {
    if (found.push(record) > recordsLimit)
      throw new ServiceError(
        'too_large',
        `More than ${recordsLimit} governance records are not read at once.`,
      );
  }
  return found;
}
