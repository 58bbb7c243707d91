import { isLoopback } from '../http/loopback.ts';
import type { ServedService, Settings } from './setting-table.ts';

/** A problem if a service without authentication listens on an address that other machines reach. */
export function exposedServices(settings: Partial<Settings>, services: readonly ServedService[]): string[] {
  const { host, allowUnauthenticated } = settings;
  if (host === undefined || isLoopback(host) || allowUnauthenticated !== false) return [];
  const names = unauthenticatedServices(settings, services);
  if (names.length === 0) return [];
  return [
    `CAIRN_HOST="${host}" can be reached from other machines, but authentication is disabled for ${names.join(' and ')}. Enable it, serve only the other service, listen on 127.0.0.1, or set CAIRN_ALLOW_UNAUTHENTICATED=true to let everybody do everything.`,
  ];
}

/** The services without authentication, each with the setting that enables it. */
export function unauthenticatedServices(
  settings: Partial<Settings>,
  services: readonly ServedService[],
): string[] {
  return services.filter((service) => isUnauthenticated(service, settings)).map((service) => names[service]);
}

export function isUnauthenticated(
  service: ServedService,
  { authMode, authEnabled }: Partial<Settings>,
): boolean {
  return service === 'integrity' ? authMode === null || authMode === 'disabled' : authEnabled === false;
}

const names: Readonly<Record<ServedService, string>> = {
  integrity: 'the integrity service (CAIRN_AUTH_MODE)',
  'control-plane': 'the control plane (-auth-enabled)',
};
