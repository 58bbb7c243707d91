import type {
  AuditDetails,
  AuditFilter,
  AuditLogStore,
  AuditOutcome,
  AuditPage,
  AuditRecord,
} from '../../../domain/audit-log/audit-log.ts';
import type { ErrorCode } from '../../../domain/errors.ts';
import type { Database } from '../database.ts';
import { nullableText } from '../nullable-text.ts';
import type { Row } from '../statements/statement-rows.ts';
import { TimedRows } from '../timed-rows.ts';

export class EmbeddedAuditLog implements AuditLogStore {
  readonly #writes: Database['writes'];
  readonly #inOrder: TimedRows;

  constructor({ reader, writes }: Database) {
    this.#writes = writes;
    this.#inOrder = new TimedRows(reader, {
      name: 'audit_log',
      time: 'at',
      order: 'newest first',
      leading: ['target', 'subject', 'action'],
    });
  }

  async put(records: readonly AuditRecord[]): Promise<void> {
    await this.#writes.run('putAuditRecords', { records });
  }

  async list(filter: AuditFilter, page: { after: string | null; limit: number }): Promise<AuditPage> {
    const { actor, action, target, from, until } = filter;
    const wanted = { subject: actor, action, target };
    const { rows, ...rest } = this.#inOrder.page({ wanted, from, until }, page);
    return { records: rows.map(recordOf), ...rest };
  }
}

export function recordOf(row: Row): AuditRecord {
  const actor = { issuer: String(row.issuer), subject: nullableText(row.subject), means: String(row.means) };
  return {
    id: String(row.id),
    at: Number(row.at),
    actor: row.issuer === null ? null : actor,
    action: String(row.action),
    target: nullableText(row.target),
    outcome: String(row.outcome) as AuditOutcome,
    code: nullableText(row.code) as ErrorCode | null,
    requestId: String(row.request_id),
    address: nullableText(row.address),
    details: JSON.parse(String(row.details)) as AuditDetails | null,
  };
}
