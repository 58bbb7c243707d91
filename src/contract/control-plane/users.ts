import { z } from 'zod';
import { pageOf, paging } from '../paging.ts';
import { booleanParameter } from '../parameters.ts';
import { patterns, withoutControls } from '../patterns.ts';
import { uuidField, uuidText } from '../values.ts';

const nameLength = 200;

const role = z.enum(['admin', 'member']);

export const user = z
  .object({
    id: uuidText,
    issuer: z.string().meta({ example: 'https://accounts.google.com' }),
    subject: z.string().meta({ example: '113740218' }),
    email: z.string().nullable().meta({ example: 'ada@example.com' }),
    email_verified: z.boolean(),
    name: z.string().nullable().describe('Set by the provider or by an administrator'),
    role: role.describe('The stored role'),
    role_source: z
      .enum(['default', 'bootstrap', 'override'])
      .describe('override: an administrator set the role'),
    effective_role: role.describe('The role with which the user calls: the stored one, or that of a claim'),
    effective_role_source: z
      .enum(['claim', 'default', 'bootstrap', 'override'])
      .describe('claim: has_admin_access in the last token of the auth service; otherwise as role_source'),
    disabled: z.boolean(),
    created_at: z.iso.datetime().describe('The first sign-in or accepted token'),
    updated_at: z.iso.datetime().describe('The last userChange of role, status or name in this service'),
    last_login_at: z.iso
      .datetime()
      .nullable()
      .describe('The last sign-in by browser; null for a caller who has only sent bearer tokens'),
  })
  .meta({ id: 'User' });

export const userList = pageOf({ users: z.array(user) }).meta({ id: 'UserList' });

export const userChange = z
  .strictObject({
    role: role.optional(),
    disabled: z.boolean().optional(),
    name: z
      .string()
      .trim()
      .min(1)
      .max(nameLength)
      .regex(...withoutControls)
      .meta({ pattern: patterns.notBlankWithoutControls })
      .nullable()
      .optional()
      .describe('null restores the name that the provider gives'),
  })
  .refine((changes) => Object.keys(changes).length > 0, 'must name role, disabled or name')
  .meta({ id: 'UserChange', minProperties: 1 });

export const userParams = z.object({ id: uuidField });

export const userQuery = paging.extend({
  email: z.string().min(1).max(320).optional().describe('The complete e-mail address; case does not matter'),
  role: role.optional().describe('The stored role'),
  disabled: booleanParameter.optional(),
});
