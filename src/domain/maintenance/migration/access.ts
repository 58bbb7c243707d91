import type { AuditRecord } from '../../audit-log/audit-log.ts';
import { auditRecordShape, userShape } from '../../control-plane/record-shapes.ts';
import type { User } from '../../control-plane/users.ts';
import { recordProblem } from '../fsck/access.ts';
import type { StoreProblem } from '../fsck/ports.ts';
import { lost } from '../fsck/problems.ts';
import type { Migrating, MigrationCounts } from './ports.ts';
import { SourceReading } from './reading.ts';

const advice = 'Put it right in the source and repeat.';

/** Takes users in as they are. Whoever the target has already stays as they are there. */
export async function* bringUsers(
  { source, target, onProgress }: Migrating,
  counts: MigrationCounts,
): AsyncGenerator<StoreProblem> {
  const reading = new SourceReading('users');
  for await (const page of reading.of(source.users())) {
    for (const user of page) {
      const problem = recordProblem(userShape, user) ?? (await keepingProblem(target, user as User, counts));
      if (problem !== undefined) yield lost('user', user.id, `Left out: ${problem}`, advice);
      else counts.users += 1;
      onProgress('users', counts.users, undefined);
    }
  }
  yield* reading.problems;
}

async function keepingProblem(
  { users }: Migrating['target'],
  user: User,
  counts: MigrationCounts,
): Promise<string | undefined> {
  if (await users.keep(user)) {
    counts.stored += 1;
    return undefined;
  }
  const known = await users.get(user.id);
  const isSame = known?.issuer === user.issuer && known.subject === user.subject;
  return isSame ? undefined : 'The target has another user of this issuer and subject, or bootstrap e-mail';
}

/** Puts audit records in, which do not change any more. */
export async function* bringAuditLog(
  { source, target, onProgress }: Migrating,
  counts: MigrationCounts,
): AsyncGenerator<StoreProblem> {
  const reading = new SourceReading('audit log');
  for await (const page of reading.of(source.auditRecords())) {
    const whole: AuditRecord[] = [];
    for (const record of page) {
      const problem = recordProblem(auditRecordShape, record);
      if (problem === undefined) whole.push(record as AuditRecord);
      else yield lost('audit record', record.id, `Left out: ${problem}`, advice);
    }
    await target.auditLog.put(whole);
    counts.auditRecords += whole.length;
    onProgress('audit log', counts.auditRecords, undefined);
  }
  yield* reading.problems;
}
