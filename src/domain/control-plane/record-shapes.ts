import { z } from 'zod';

const time = z.int();

/** Of a stored user. */
export const userShape = z.object({
  id: z.uuid(),
  issuer: z.string().min(1),
  subject: z.string().min(1),
  email: z.string().nullable(),
  emailVerified: z.boolean(),
  name: z.string().nullable(),
  nameOverride: z.string().nullable(),
  role: z.enum(['admin', 'member']),
  roleSource: z.enum(['default', 'bootstrap', 'override']),
  bootstrapEmail: z.string().nullable(),
  disabled: z.boolean(),
  createdAt: time,
  updatedAt: time,
  lastLoginAt: time,
});

/** Of a stored session. */
export const sessionShape = z.object({
  key: z.string().min(1),
  userId: z.uuid(),
  issuer: z.string().min(1),
  subject: z.string().min(1),
  sealedIdToken: z.string().nullable(),
  createdAt: time,
  lastSeenAt: time,
  expiresAt: time,
});

/** Of a stored audit record. */
export const auditRecordShape = z.object({
  id: z.uuid(),
  at: time,
  actor: z.object({ issuer: z.string(), subject: z.string().nullable(), means: z.string() }).nullable(),
  action: z.string().min(1),
  target: z.string().nullable(),
  outcome: z.enum(['begun', 'done', 'refused', 'failed']),
  code: z.string().nullable(),
  requestId: z.string(),
  address: z.string().nullable(),
  details: z.record(z.string(), z.union([z.string(), z.number(), z.boolean(), z.null()])).nullable(),
});
