import { BlockList, isIP, isIPv4, isIPv6 } from 'node:net';
import type { HttpBindings } from '@hono/node-server';
import type { Context } from 'hono';

/** Who is asked where there is no connection, as in a program that calls the application itself. */
const noAddress = 'local';

/**
 * The address that a request comes from: the socket's, unless that is a proxy that is trusted to tell. Of
 * `X-Forwarded-For`, to which each proxy adds at the right, the last entry counts that is no such proxy; entries before
 * it may be anybody's invention.
 */
export function clientAddress(context: Context, trustedProxies: BlockList | null): string {
  const { incoming } = (context.env ?? {}) as Partial<HttpBindings>;
  let address = plainAddress(incoming?.socket.remoteAddress ?? '');
  if (address === undefined) return noAddress;
  const forwarded = context.req.header('x-forwarded-for')?.split(',') ?? [];
  while (isTrusted(address, trustedProxies)) {
    const before = plainAddress(forwarded.pop() ?? '');
    if (before === undefined) break;
    address = before;
  }
  return address;
}

function isTrusted(address: string, trustedProxies: BlockList | null): boolean {
  return trustedProxies?.check(address, isIPv4(address) ? 'ipv4' : 'ipv6') ?? false;
}

/** Without brackets, port and zone, and IPv4 as such; undefined when it is no address. */
function plainAddress(text: string): string | undefined {
  const [, bracketed, before] = /^(?:\[([^\]]*)\](?::\d+)?|([\d.]+):\d+)$/.exec(text.trim()) ?? [];
  const address = (bracketed ?? before ?? text.trim()).replace(/%.*$/, '').toLowerCase();
  const mapped = /^::ffff:([\d.]+)$/.exec(address)?.[1];
  if (mapped !== undefined && isIPv4(mapped)) return mapped;
  return isIP(address) ? address : undefined;
}

/**
 * Addresses and networks, such as `10.0.0.0/8, ::1`.
 * @throws Error with the entry that is neither, or is everybody.
 */
export function parseAddressList(text: string): BlockList {
  const list = new BlockList();
  for (const entry of text.split(',').map((part) => part.trim())) addEntry(list, entry);
  return list;
}

function addEntry(list: BlockList, entry: string): void {
  const [address = '', prefix, ...rest] = entry.split('/');
  const type = isIPv6(address) ? 'ipv6' : 'ipv4';
  const bits = prefix === undefined ? undefined : /^\d{1,3}$/.test(prefix) ? Number(prefix) : Number.NaN;
  const most = type === 'ipv6' ? 128 : 32;
  if (!isIP(address) || rest.length > 0 || (bits !== undefined && !(bits <= most)))
    throw new Error(
      `must be addresses or networks such as 10.0.0.0/8, separated by commas; "${entry}" is neither`,
    );
  if (bits === 0) throw new Error(`must not trust everybody to be a proxy; "${entry}" is everybody`);
  if (bits === undefined) list.addAddress(address, type);
  else list.addSubnet(address, bits, type);
}
