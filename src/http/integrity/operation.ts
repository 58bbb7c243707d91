import { type AccessRule, authorize, type Principal } from '../../domain/access/access.ts';
import { operationsOf } from '../operation.ts';

/** How callers prove who they are, for the API's description. */
export const integritySecuritySchemes = {
  bearer: {
    type: 'http',
    scheme: 'bearer',
    bearerFormat: 'JWT',
    description: 'An access token for the integrity service (CAIRN_AUTH_MODE).',
  },
} as const;

/** Registers a route of the integrity service. */
export const operation = operationsOf<AccessRule, Principal>({
  authorize,
  securitySchemes: Object.keys(integritySecuritySchemes),
});
