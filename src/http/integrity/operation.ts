import { type AccessRule, authorize, type Principal } from '../../domain/access/access.ts';
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
  securitySchemes: Object.keys(integritySecuritySchemes),
});
