import { z } from '@hono/zod-openapi';
import { auditRecordList } from '../../contract/audit-log.ts';
import { paging } from '../../contract/paging.ts';
import { rangeOf, timeRange } from '../../contract/time-range.ts';
import { type AuditLog, type AuditRecord, listAuditRecords } from '../../domain/audit-log/audit-log.ts';
import { jsonAnswer } from '../answers.ts';
import { jsonOf, pageRequest } from '../list-pages.ts';
import { type ControlPlaneApp, operation } from './operation.ts';

const exactly = (description: string, example: string) =>
  z.string().min(1).max(500).optional().openapi({ description, example });

export interface AuditLogRoutes {
  readonly auditLog: Pick<AuditLog, 'page'>;
}

export function auditLogRoutes(app: ControlPlaneApp, { auditLog }: AuditLogRoutes): void {
  operation(app, 'GET /v1/audit-log', {
    access: 'admin',
    tag: 'Audit log',
    summary: 'List who changed what, newest first',
    description:
      'Every change made through the API, every sign-in and sign-out, and every refused attempt. A page may be shorter than its limit, or empty. The last page has no next_cursor.',
    query: paging.extend({
      actor: exactly('Subject of the caller', '113740218'),
      action: exactly('The operation', 'PATCH /v1/users/{id}'),
      target: exactly('What it was done to', '0199b6f2-0000-7000-8000-000000000000'),
      ...timeRange,
    }),
    answers: { 200: jsonAnswer('A page of records', auditRecordList) },
    handle: async ({ answerList, query }) => {
      const { actor = null, action = null, target = null } = query;
      const filter = { actor, action, target, ...rangeOf(query) };
      const page = await listAuditRecords(auditLog, filter, pageRequest(query));
      return await answerList('records', jsonOf(page.records, recordJson), page);
    },
  });
}

function recordJson({ at, requestId, ...rest }: AuditRecord) {
  return { ...rest, at: new Date(at).toISOString(), request_id: requestId };
}
