import { type AccessRule, authorize, callerKey, type Principal } from '../../domain/access/access.ts';
import { clientAddress } from '../../platform/http/addresses.ts';
import { operationsOf, sessionScheme } from '../operation.ts';

/** How callers authenticate, for the API description. */
const securitySchemes = {
  bearer: {
    type: 'http',
    scheme: 'bearer',
    bearerFormat: 'JWT',
    description: 'An access token for the integrity service (CAIRN_AUTH_MODE).',
  },
  session: sessionScheme,
} as const;

/** @param callers `takesSessions`: whether people who have signed in by browser can call. */
export function integritySecuritySchemes(callers: {
  readonly isAuthenticated: boolean;
  readonly takesSessions: boolean;
}): Partial<typeof securitySchemes> {
  const { bearer } = securitySchemes;
  if (!callers.isAuthenticated) return {};
  return callers.takesSessions ? securitySchemes : { bearer };
}

/** Registers an operation of the integrity service. */
export const operation = operationsOf<AccessRule, Principal>({
  authorize,
  // Without authentication there is one principal, but there are several programs.
  callerKey: (principal, context) =>
    principal.mayProbe ? clientAddress(context, null) : callerKey(principal),
  securitySchemes: Object.keys(securitySchemes),
});
