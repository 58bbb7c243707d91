import { z } from '@hono/zod-openapi';
import { ServiceError } from '../../domain/errors.ts';
import { errorAnswer, jsonAnswer } from '../answers.ts';
import { type ControlPlaneApp, operation } from './operation.ts';
import { providerId } from './sign-in.ts';

const tag = 'Authentication';

const providers = z
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

const deviceConfig = z
  .object({
    issuer: z.string().openapi({
      description: 'Its metadata is at <issuer>/.well-known/openid-configuration',
      example: 'https://idp.example',
    }),
    client_id: z.string().openapi({ example: 'cairn-cli' }),
    scopes: z.array(z.string()).openapi({ example: ['openid', 'profile', 'email'] }),
  })
  .openapi('DeviceConfig');

export interface DeviceConfig {
  readonly issuer: string;
  readonly clientId: string;
  readonly scopes: readonly string[];
}

export interface AuthDiscoveryRoutes {
  readonly isEnabled: boolean;
  /** null if nobody signs in by browser. */
  readonly browser: { readonly issuer: string; readonly loginUrl: string } | null;
  /** null if tools do not authenticate by bearer token. */
  readonly bearerMode: 'oidc' | 'auth_service' | null;
  /** null if tools cannot sign in themselves. */
  readonly device: DeviceConfig | null;
}

/** How to sign in. Callers can ask before they are known. */
export function authDiscoveryRoutes(app: ControlPlaneApp, config: AuthDiscoveryRoutes): void {
  const { isEnabled, browser, bearerMode, device } = config;

  operation(app, 'GET /v1/auth/providers', {
    access: 'public',
    tag,
    summary: 'How callers sign in',
    answers: { 200: jsonAnswer('The enabled ways to sign in', providers) },
    handle: ({ answer }) =>
      answer(200, {
        auth_enabled: isEnabled,
        providers: browser
          ? [{ id: providerId, type: 'oidc', issuer: browser.issuer, login_url: browser.loginUrl }]
          : [],
        bearer: { enabled: bearerMode !== null, mode: bearerMode },
      }),
  });

  operation(app, 'GET /v1/auth/device-config', {
    access: 'public',
    tag,
    summary: 'What tools need for signing in',
    description:
      'A tool gets an ID token from this issuer, for example with the device flow, and sends it as bearer token.',
    answers: {
      200: jsonAnswer('Issuer, client and scopes', deviceConfig),
      404: errorAnswer('This service accepts no ID tokens of tools'),
    },
    handle: ({ answer }) => {
      if (device === null)
        throw new ServiceError(
          'not_found',
          'This service accepts no ID tokens of tools. GET /v1/auth/providers shows how callers sign in.',
        );
      const { issuer, clientId, scopes } = device;
      return answer(200, { issuer, client_id: clientId, scopes: [...scopes] });
    },
  });
}
