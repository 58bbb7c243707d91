import { isLoopback } from '../loopback.ts';
import type { ServedService, Settings } from './settings.ts';

/** The fault of services that would let everybody in who reaches their address. */
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
  { authMode, authEnabled }: Partial<Settings>,
  services: readonly ServedService[],
): string[] {
  const isOpen = {
    integrity: authMode === null || authMode === 'disabled',
    'control-plane': authEnabled === false,
  };
  return services.filter((service) => isOpen[service]).map((service) => names[service]);
}

const names: Readonly<Record<ServedService, string>> = {
  integrity: 'the integrity service (CAIRN_AUTH_MODE)',
  'control-plane': 'the control plane (-auth-enabled)',
};
