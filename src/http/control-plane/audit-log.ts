import { auditLogQuery, auditRecordList } from '../../contract/control-plane/audit-log.ts';
import { rangeOf } from '../../contract/parameters.ts';
import { type AuditLog, type AuditRecord, listAuditRecords } from '../../domain/audit-log/audit-log.ts';
import { jsonOf, pageRequest } from '../answering.ts';
import { isoTime, jsonAnswer } from '../answers.ts';
import { type ControlPlaneApp, operation } from './operation.ts';

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
    query: auditLogQuery,
    answers: { 200: jsonAnswer('A page of records', auditRecordList) },
    handle: async ({ answerList, query }) => {
      const { actor = null, action = null, target = null } = query;
      const filter = { actor, action, target, ...rangeOf(query) };
      const page = await listAuditRecords(auditLog, filter, pageRequest(query));
      return await answerList('records', jsonOf(page.records, recordJson), page);
    },
  });
}

function recordJson({ at, requestId, isLogged: _, ...rest }: AuditRecord) {
  return { ...rest, at: isoTime(at), request_id: requestId };
}
