import { isLoopback } from '../http/loopback.ts';
import type { ServedService, Settings } from './setting-table.ts';

/** What the ids of credentials and status lists start with: CAIRN_PUBLIC_URL, or the address to listen on. */
export function publicUrlOf({
  publicUrl,
  host,
  port,
}: Pick<Settings, 'publicUrl' | 'host' | 'port'>): string {
  return publicUrl ?? `http://${host.includes(':') ? `[${host}]` : host}:${port}`;
}

/** A problem if credentials would name an address for ever at which nobody finds their status lists. */
export function publicUrlProblems(
  { publicUrl, host, mongodbUrl }: Partial<Settings>,
  services: readonly ServedService[],
): string[] {
  if (publicUrl !== null || !services.includes('integrity')) return [];
  const isReachable = host !== undefined && !isLoopback(host);
  if (!mongodbUrl && !isReachable) return [];
  const reason = isReachable
    ? `CAIRN_HOST="${host}" can be reached from other machines`
    : 'processes share CAIRN_MONGODB_URL';
  return [
    `CAIRN_PUBLIC_URL is not set, but ${reason}. Credentials name the place of their status lists for ever, so set it to the URL at which others reach this service, such as https://cairn.example.`,
  ];
}
