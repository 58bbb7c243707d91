import type { Context, MiddlewareHandler } from 'hono';
import { callerKey } from '../../domain/access/access.ts';
import {
  type GatewayCaller,
  type GatewayScope,
  isGuarded,
  type Registrant,
} from '../../domain/control-plane/gateway-access.ts';
import type { KnownCaller } from '../../domain/control-plane/known-caller.ts';
import { ServiceError } from '../../domain/errors.ts';
import { scopesOf } from '../../platform/agent-tokens/gateway-credential.ts';
import type { App } from '../../platform/http/app.ts';
import type { AppEnv } from '../../platform/http/app-env.ts';
import { type BearerAttempts, bearerCaller } from '../../platform/tokens/bearer-attempts.ts';
import { operationsOf } from '../operation.ts';
import type { ControlPlaneApp } from './operation.ts';

export type GatewayApp = App<GatewayCaller>;
export type RegistrationApp = App<Registrant>;

export const gatewaySecuritySchemes = {
  gateway: {
    type: 'http',
    scheme: 'bearer',
    description: 'A gateway credential, which "cairn gateway-token" prints.',
  },
  registration: {
    type: 'http',
    scheme: 'bearer',
    description: 'A registration token of POST /v1/agent-registration-tokens.',
  },
} as const;

/** Registers an operation for holders of a gateway credential with a scope. */
export const gatewayOperation = operationsOf<GatewayScope, GatewayCaller>({
  authorize({ scopes }, scope, name) {
    if (scopes.has(scope)) return;
    const why = isGuarded(scope)
      ? ', which a credential of an earlier version and one without "--scope" do not have'
      : '';
    throw new ServiceError(
      'forbidden',
      `The gateway credential lacks the scope "${scope}"${why} (${name}). Make one with "cairn gateway-token --scope ${scope}".`,
    );
  },
  callerKey,
  securitySchemes: ['gateway'],
});

/** Registers an operation for holders of a registration token. */
export const registrationOperation = operationsOf<'registration', Registrant>({
  authorize: () => undefined,
  callerKey,
  securitySchemes: ['registration'],
});

const prefix = '/v1/gateway';
const registrations = `${prefix}/registrations`;
const traces = '/v1/traces';

export interface GatewayAuthentication {
  readonly gateway: BearerAttempts;
  readonly registration: BearerAttempts;
  /** Who minted a genuine registration token. @throws ServiceError `unauthorized`. */
  readonly registrantOf: (jti: string) => Promise<Registrant>;
}

/** Authenticates callers below /v1/gateway, and of traces, by credentials of their own, whichever way other callers authenticate. */
export function gatewayApps(
  app: ControlPlaneApp,
  { gateway, registration, registrantOf }: GatewayAuthentication,
): { readonly gateway: GatewayApp; readonly registration: RegistrationApp } {
  const gatewayCaller = async (context: Context): Promise<GatewayCaller> => {
    const { issuer, subject, claims } = await bearerCaller(context, gateway);
    return { issuer, subject, means: 'gateway_credential', scopes: scopesOf(claims) };
  };
  const registrant = async (context: Context): Promise<Registrant> => {
    const { claims } = await bearerCaller(context, registration);
    return await registrantOf(String(claims.jti));
  };
  const authentication: MiddlewareHandler<AppEnv<KnownCaller>> = async (context, next) => {
    const caller = context.req.path === registrations ? registrant : gatewayCaller;
    context.set('caller', (() => caller(context)) as never);
    await next();
  };
  for (const path of [`${prefix}/*`, traces]) app.use(path, authentication);
  return { gateway: app as unknown as GatewayApp, registration: app as unknown as RegistrationApp };
}
