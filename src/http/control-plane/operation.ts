import { callerKey } from '../../domain/access/access.ts';
import { type AccessRule, authorize } from '../../domain/control-plane/access.ts';
import type { KnownCaller } from '../../domain/control-plane/known-caller.ts';
import type { App } from '../../platform/http/app.ts';
import { operationsOf, sessionScheme } from '../operation.ts';

export type ControlPlaneApp = App<KnownCaller>;

/** How callers authenticate, for the API description. */
export const controlPlaneSecuritySchemes = {
  session: sessionScheme,
  tool: {
    type: 'http',
    scheme: 'bearer',
    description: 'An ID token for the client of GET /v1/auth/device-config, or a token of the auth service.',
  },
} as const;

/** Registers an operation of the control plane. */
export const operation = operationsOf<AccessRule, KnownCaller>({
  authorize,
  callerKey,
  securitySchemes: Object.keys(controlPlaneSecuritySchemes),
});
