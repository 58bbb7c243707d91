import { randomUUID } from 'node:crypto';
import type { AuditRecord } from '../../src/domain/audit-log/audit-log.ts';
import { issuer } from './users.ts';

export function auditRecord(more: Partial<AuditRecord> = {}): AuditRecord {
  return {
    id: randomUUID(),
    at: 10,
    actor: { issuer, subject: randomUUID(), means: 'session' },
    action: 'PATCH /v1/users/{id}',
    target: randomUUID(),
    outcome: 'done',
    code: null,
    requestId: 'request',
    address: '192.0.2.7',
    details: { role: 'admin', disabled: false, count: 3, name: null },
    isLogged: false,
    ...more,
  };
}
