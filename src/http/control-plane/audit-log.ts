import { z } from '@hono/zod-openapi';
import { type AuditLog, type AuditRecord, listAuditRecords } from '../../domain/audit-log/audit-log.ts';
import { jsonAnswer } from '../answers.ts';
import { jsonOf, nextCursor, pageRequest, paging } from '../list-pages.ts';
import { rangeOf, timeRange } from '../time-range.ts';
import { type ControlPlaneApp, operation } from './operation.ts';

const record = z
  .object({
    id: z.uuid(),
    at: z.iso.datetime().describe('When the request arrived'),
    actor: z
      .object({ issuer: z.string(), subject: z.string().nullable(), means: z.string() })
      .nullable()
      .describe('null for unknown callers'),
    action: z.string().openapi({ description: 'The operation', example: 'PATCH /v1/users/{id}' }),
    target: z.string().nullable().describe('What it was done to, if known'),
    outcome: z
      .enum(['begun', 'done', 'refused', 'failed'])
      .describe('begun: still running, or the process ended before it stored the outcome'),
    code: z.string().nullable().describe('Why it was refused or failed'),
    request_id: z.string(),
    address: z.string().nullable().openapi({ example: '192.0.2.7' }),
    details: z
      .record(z.string(), z.union([z.string(), z.number(), z.boolean(), z.null()]))
      .nullable()
      .openapi({ description: 'The fields to change, and their new values', example: { role: 'admin' } }),
  })
  .openapi('AuditRecord');

const recordList = z.object({ records: z.array(record), next_cursor: nextCursor }).openapi('AuditLog');

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
    answers: { 200: jsonAnswer('A page of records', recordList) },
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
