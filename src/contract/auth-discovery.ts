import { z } from '@hono/zod-openapi';

/** The only provider. */
export const providerId = 'idp';

export const providers = z
  .object({
    auth_enabled: z.boolean().describe('false: callers need not sign in'),
    providers: z
      .array(
        z.object({
          id: z.string().openapi({ example: providerId }),
          type: z.literal('oidc'),
          issuer: z.string().openapi({ example: 'https://accounts.google.com' }),
          login_url: z.string().openapi({
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
  .openapi('AuthProviders');

export const deviceConfig = z
  .object({
    issuer: z.string().openapi({
      description: 'Its metadata is at <issuer>/.well-known/openid-configuration',
      example: 'https://idp.example',
    }),
    client_id: z.string().openapi({ example: 'cairn-cli' }),
    scopes: z.array(z.string()).openapi({ example: ['openid', 'profile', 'email'] }),
  })
  .openapi('DeviceConfig');
