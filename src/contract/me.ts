import { z } from 'zod';

export const me = z
  .object({
    issuer: z.string().meta({ example: 'https://accounts.google.com' }),
    subject: z
      .string()
      .nullable()
      .meta({ description: 'null while authentication is disabled', example: '113740218' }),
    role: z.enum(['admin', 'member']),
    role_source: z
      .enum(['disabled', 'id_token', 'claim', 'default', 'bootstrap', 'override'])
      .describe(
        'Why the caller has this role. disabled: authentication is disabled; id_token: callers with an ID token are members; claim: has_admin_access of the auth service; default: nobody has chosen a role; bootstrap: the bootstrap e-mail; override: an administrator set it',
      ),
    means: z
      .enum(['disabled', 'session', 'oidc_bearer', 'auth_service_bearer'])
      .describe('How the caller signed in'),
    user: z
      .object({
        id: z.uuid(),
        name: z.string().nullable().meta({ example: 'Ada Lovelace' }),
        email: z.string().nullable().meta({ example: 'ada@example.com' }),
        email_verified: z.boolean(),
      })
      .nullable()
      .describe('null while authentication is disabled'),
    session: z
      .object({
        created_at: z.iso.datetime(),
        expires_at: z.iso.datetime().describe('When the session ends at the latest'),
        idle_expires_at: z.iso.datetime().describe('When the session ends without another request'),
      })
      .nullable()
      .describe('null if the caller did not sign in with a session'),
  })
  .meta({ id: 'Me' });
