import type { Settings } from './setting-table.ts';

/** What the ids of credentials and status lists start with: CAIRN_PUBLIC_URL, or the address to listen on. */
export function publicUrlOf({
  publicUrl,
  host,
  port,
}: Pick<Settings, 'publicUrl' | 'host' | 'port'>): string {
  return publicUrl ?? `http://${host.includes(':') ? `[${host}]` : host}:${port}`;
}
