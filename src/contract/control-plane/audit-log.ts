import { z } from 'zod';
import { pageOf, paging } from '../paging.ts';
import { timeRange } from '../parameters.ts';
import { uuidText } from '../values.ts';

const auditRecord = z
  .object({
    id: uuidText,
    at: z.iso.datetime().describe('When the request arrived'),
    actor: z
      .object({ issuer: z.string(), subject: z.string().nullable(), means: z.string() })
      .nullable()
      .describe('null for unknown callers'),
    action: z.string().meta({ description: 'The operation', example: 'PATCH /v1/users/{id}' }),
    target: z.string().nullable().describe('What it was done to, if known'),
    outcome: z
      .enum(['begun', 'done', 'refused', 'failed'])
      .describe('begun: still running, or the process ended before it stored the outcome'),
    code: z.string().nullable().describe('Why it was refused or failed'),
    request_id: z.string(),
    address: z.string().nullable().meta({ example: '192.0.2.7' }),
    details: z
      .record(z.string(), z.union([z.string(), z.number(), z.boolean(), z.null()]))
      .nullable()
      .meta({ description: 'The fields to change, and their new values', example: { role: 'admin' } }),
  })
  .meta({ id: 'AuditRecord' });

export const auditRecordList = pageOf({ records: z.array(auditRecord) }).meta({ id: 'AuditLog' });

const exactly = (description: string, example: string) =>
  z.string().min(1).max(500).optional().meta({ description, example });

export const auditLogQuery = paging.extend({
  actor: exactly('Subject of the caller', '113740218'),
  action: exactly('The operation', 'PATCH /v1/users/{id}'),
  target: exactly('What it was done to', '0199b6f2-0000-7000-8000-000000000000'),
  ...timeRange,
});
