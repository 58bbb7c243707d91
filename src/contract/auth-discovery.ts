import { z } from 'zod';

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
    issuer: z.string().meta({
      description: 'Its metadata is at <issuer>/.well-known/openid-configuration',
      example: 'https://idp.example',
    }),
    client_id: z.string().meta({ example: 'cairn-cli' }),
    scopes: z.array(z.string()).meta({ example: ['openid', 'profile', 'email'] }),
  })
  .meta({ id: 'DeviceConfig' });
