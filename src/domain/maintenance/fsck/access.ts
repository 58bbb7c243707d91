import { z } from 'zod';
import { auditRecordShape, sessionShape, userShape } from '../../control-plane/record-shapes.ts';
import type { StoreContents, StoreProblem, Unreadable } from './ports.ts';
import { lost } from './problems.ts';

const advice = 'Restore the store from a backup.';

/** Whether each user is one whom the control plane can take for a caller. */
export async function* fsckUsers(
  { users }: Pick<StoreContents, 'users'>,
  onUser: () => void,
): AsyncGenerator<StoreProblem> {
  for await (const page of users()) {
    for (const user of page) {
      onUser();
      const problem = recordProblem(userShape, user);
      if (problem !== undefined) yield lost('user', user.id, problem, advice);
    }
  }
}

/** Whether each session can be read, and is that of a user. One that is none's lets nobody in, and goes by itself. */
export async function* fsckSessions(
  { sessions, hasUser }: Pick<StoreContents, 'sessions' | 'hasUser'>,
  onSession: () => void,
): AsyncGenerator<StoreProblem> {
  for await (const page of sessions()) {
    for (const session of page) {
      onSession();
      const id = session.key;
      const problem = recordProblem(sessionShape, session);
      if (problem !== undefined) yield lost('session', id, problem, 'Whose it is has to sign in again.');
      else if (!(await hasUser(session.userId)))
        yield {
          kind: 'session',
          id,
          problem: 'Its user does not exist',
          severity: 'leftover',
          repair: 'none',
        };
    }
  }
}

/** Whether each audit record can be read. */
export async function* fsckAuditLog(
  { auditRecords }: Pick<StoreContents, 'auditRecords'>,
  onRecord: () => void,
): AsyncGenerator<StoreProblem> {
  for await (const page of auditRecords()) {
    for (const record of page) {
      onRecord();
      const problem = recordProblem(auditRecordShape, record);
      if (problem !== undefined) yield lost('audit record', record.id, problem, advice);
    }
  }
}

/** What is wrong with a record, if anything is. */
export function recordProblem(shape: z.ZodType, record: object | Unreadable): string | undefined {
  if ('problem' in record) return record.problem;
  const { error } = shape.safeParse(record);
  return error && `Its record is damaged: ${z.prettifyError(error)}`.replaceAll('\n', ' ');
}
