import { deviceConfig, providerId, providers } from '../../contract/control-plane/authentication.ts';
import { ServiceError } from '../../domain/errors.ts';
import { errorAnswer, jsonAnswer } from '../answers.ts';
import { type ControlPlaneApp, operation } from './operation.ts';

const tag = 'Authentication';

interface DeviceConfig {
  readonly issuer: string;
  readonly clientId: string;
  readonly scopes: readonly string[];
  /** Of access tokens for the integrity service; null if it takes none of this issuer. */
  readonly audience: string | null;
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
      const { issuer, clientId, scopes, audience } = device;
      return answer(200, {
        issuer,
        client_id: clientId,
        scopes: [...scopes],
        ...(audience !== null && { audience }),
      });
    },
  });
}
