import { type AuditLog, type AuditRecord, listAuditRecords } from '../../../domain/audit-log/audit-log.ts';
import type { Page, PageRequest } from '../../../domain/collections/records.ts';
import { listUsers, type Users } from '../../../domain/control-plane/users.ts';
import { parseTime } from '../../../domain/integrity/identifiers/timestamp.ts';
import type { AuditSearch } from '../../../ui/console/audit-log-page.ts';

export interface AuditPagePorts {
  readonly auditLog: Pick<AuditLog, 'page'>;
  readonly users: Users;
}

const dayMs = 86_400_000;
const orNull = (text: string) => (text === '' ? null : text);

/** What a reader searches for. */
export function auditSearchIn(query: Readonly<Record<string, string>>): AuditSearch {
  const given = (name: keyof AuditSearch) => query[name]?.trim() ?? '';
  return {
    actor: given('actor'),
    action: given('action'),
    target: given('target'),
    from: given('from'),
    to: given('to'),
  };
}

/** @throws ServiceError `invalid_request` for a cursor of another search. */
export async function searchAuditLog(
  ports: AuditPagePorts,
  { actor, action, target, from, to }: AuditSearch,
  request: PageRequest,
): Promise<{ page: Page<AuditRecord>; problem: string | undefined }> {
  const [first, last] = [startOf(from), startOf(to)];
  const wrong = [from, to].find((day) => day !== '' && startOf(day) === null);
  const filter = {
    actor: orNull(await subjectOf(ports, actor)),
    action: orNull(action),
    target: orNull(target),
    from: first,
    until: last === null ? null : last + dayMs,
  };
  const page = await listAuditRecords(ports.auditLog, filter, request);
  const problem = wrong === undefined ? undefined : `“${wrong}” is no day. Write it like 2026-01-31.`;
  return { page, problem };
}

function startOf(day: string): number | null {
  return /^\d{4}-\d\d-\d\d$/.test(day) ? parseTime(`${day}T00:00:00Z`) : null;
}

/** The subject of the only user with an e-mail address; otherwise the text is a subject itself. */
async function subjectOf({ users }: AuditPagePorts, actor: string): Promise<string> {
  if (!actor.includes('@')) return actor;
  const filter = { email: actor, role: null, disabled: null };
  const { records } = await listUsers(users, filter, { after: null, limit: 2 });
  return records.length === 1 ? (records[0]?.subject ?? actor) : actor;
}
