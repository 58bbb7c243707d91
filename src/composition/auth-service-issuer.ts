import { authServiceIssuers, keptIssuer } from '../domain/access/auth-service-issuer.ts';
import { users } from '../domain/control-plane/users.ts';
import type { Log } from '../platform/log.ts';
import {
  acceptsBearers,
  requiredValue,
  type ServedService,
  type Settings,
} from '../platform/settings/setting-table.ts';
import type { Store } from '../storage/open.ts';

/** The auth service that says who the callers of a service are. */
export interface CallersAuthService {
  readonly baseUrl: string;
  /** The issuer of callers whose answer names none. */
  readonly issuer: string;
}

/**
 * The auth service that says who the callers of a service are; null in other modes.
 * @throws ServiceError `conflict` if their issuer would change.
 */
export async function callersAuthService(
  store: Pick<Store, 'of'>,
  service: ServedService,
  settings: Settings,
  log: Log,
): Promise<CallersAuthService | null> {
  const isUsed =
    service === 'integrity' ? settings.authMode === 'auth_service' : acceptsBearers(settings, 'auth_service');
  if (!isUsed) return null;
  const baseUrl = requiredValue(
    service === 'integrity'
      ? settings.authServiceBaseUrl
      : (settings.authBearerAuthServiceBaseUrl ?? settings.adapterAuthServiceBaseUrl),
  );
  const ports = { issuers: store.of(authServiceIssuers), users: store.of(users) };
  const { issuer, other } = await keptIssuer(ports, {
    service,
    chosen: settings.authServiceIssuer,
    url: baseUrl,
  });
  if (other !== null)
    log.warn(
      `Callers of the ${service} service are those of "${issuer}", and callers of the other service on this store are those of "${other}", so one person is two users. Set CAIRN_AUTH_SERVICE_ISSUER to one of them for both services.`,
    );
  return { baseUrl, issuer };
}
