import { z } from 'zod';
import { uuidText } from '../values.ts';

/** The only provider. */
export const providerId = 'idp';

export const providers = z
  .object({
    auth_enabled: z.boolean().describe('false: callers need not sign in'),
    providers: z
      .array(
        z.object({
          id: z.string().meta({ example: providerId }),
          type: z.literal('oidc'),
          issuer: z.string().meta({ example: 'https://accounts.google.com' }),
          login_url: z.string().meta({
            description: 'Where the browser starts; also takes return_to',
            example: 'https://cairn.example/v1/auth/login?provider=idp',
          }),
        }),
      )
      .describe('Providers for signing in by browser'),
    bearer: z
      .object({ enabled: z.boolean(), mode: z.enum(['oidc', 'auth_service']).nullable() })
      .describe('How tools authenticate'),
  })
  .meta({ id: 'AuthProviders' });

export const deviceConfig = z
  .object({
    issuer: z.url({ protocol: /^https?$/ }).meta({
      description: 'Its metadata is at <issuer>/.well-known/openid-configuration',
      example: 'https://idp.example',
    }),
    client_id: z.string().min(1).meta({ example: 'cairn-cli' }),
    scopes: z
      .array(z.string().regex(/^[\x21\x23-\x5b\x5d-\x7e]+$/))
      .min(1)
      .meta({ example: ['openid', 'profile', 'email'] }),
    audience: z.string().min(1).optional().meta({
      description: 'What to ask an access token for, if the integrity service takes such tokens',
      example: 'cairn',
    }),
  })
  .meta({ id: 'DeviceConfig' });

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
        id: uuidText,
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

export const loginQuery = z.object({
  provider: z.string().meta({ description: 'A provider of GET /v1/auth/providers', example: providerId }),
  return_to: z.string().optional().meta({
    description: 'Address in the user interface to open afterwards. Other addresses are ignored',
    example: '/ui/account',
  }),
});

export const callbackParams = z.object({ provider: z.string().meta({ example: providerId }) });

/** Providers may add more (OAuth 2.0, RFC 6749, 4.1.2). */
export const callbackQuery = z.looseObject({
  code: z.string().optional(),
  state: z.string().optional(),
  iss: z.string().optional(),
  error: z.string().optional(),
});

/** The header of a redirect. */
export const redirect = z.object({
  location: z.url().meta({ example: 'https://idp.example/authorize?client_id=…' }),
});
