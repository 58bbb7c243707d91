import { isLoopback } from '../http/loopback.ts';
import type { ServedService, Settings } from './setting-table.ts';

/** The problem of services that would let everybody in who reaches their address. */
export function exposedServices(settings: Partial<Settings>, services: readonly ServedService[]): string[] {
  const { host, allowUnauthenticated } = settings;
  if (host === undefined || isLoopback(host) || allowUnauthenticated !== false) return [];
  const names = unauthenticatedServices(settings, services);
  if (names.length === 0) return [];
  return [
    `CAIRN_HOST="${host}" can be reached from other machines, and there is no authentication for ${names.join(' and ')}. Set that up, serve the other service alone, listen on 127.0.0.1, or set CAIRN_ALLOW_UNAUTHENTICATED=true if everybody who reaches it may do everything.`,
  ];
}

/** The services that ask nobody who they are, each with what would change that. */
export function unauthenticatedServices(
  settings: Partial<Settings>,
  services: readonly ServedService[],
): string[] {
  return services.filter((service) => asksNobody(service, settings)).map((service) => names[service]);
}

/** Whether a service lets everybody in without asking who they are. */
export function asksNobody(service: ServedService, { authMode, authEnabled }: Partial<Settings>): boolean {
  return service === 'integrity' ? authMode === null || authMode === 'disabled' : authEnabled === false;
}

const names: Readonly<Record<ServedService, string>> = {
  integrity: 'the integrity service (CAIRN_AUTH_MODE)',
  'control-plane': 'the control plane (-auth-enabled)',
};
