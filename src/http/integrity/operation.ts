import { type AccessRule, authorize, callerKey, type Principal } from '../../domain/access/access.ts';
import { clientAddress } from '../../platform/http/addresses.ts';
import { operationsOf } from '../operation.ts';

/** How callers authenticate, for the API description. */
export const integritySecuritySchemes = {
  bearer: {
    type: 'http',
    scheme: 'bearer',
    bearerFormat: 'JWT',
    description: 'An access token for the integrity service (CAIRN_AUTH_MODE).',
  },
} as const;

/** Registers an operation of the integrity service. */
export const operation = operationsOf<AccessRule, Principal>({
  authorize,
  // Without authentication there is one principal, but there are several programs.
  callerKey: (principal, context) =>
    principal.mayProbe ? clientAddress(context, null) : callerKey(principal),
  securitySchemes: Object.keys(integritySecuritySchemes),
});
