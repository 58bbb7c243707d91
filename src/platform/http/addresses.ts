import { BlockList, isIP, isIPv4, isIPv6 } from 'node:net';
import type { HttpBindings } from '@hono/node-server';
import type { Context } from 'hono';
import type { Log } from '../log.ts';

/** The address of a request without a connection, such as one that a program passes to the application. */
const noAddress = 'local';

/**
 * The address that a request comes from: the socket's, unless that is a trusted proxy. Each proxy appends to
 * `X-Forwarded-For`, so the last entry that is not a trusted proxy counts. Callers can invent the entries before it.
 */
export function clientAddress(context: Context, trustedProxies: BlockList | null): string {
  let address = peerAddress(context);
  if (address === undefined) return noAddress;
  const forwarded = context.req.header('x-forwarded-for')?.split(',') ?? [];
  while (isTrusted(address, trustedProxies)) {
    const before = plainAddress(forwarded.pop() ?? '');
    if (before === undefined) break;
    address = before;
  }
  return address;
}

/**
 * The address that a proxy reports which is not trusted; undefined if there is none. Callers without a proxy can invent
 * it.
 */
export function reportedAddress(context: Context, trustedProxies: BlockList | null): string | undefined {
  const peer = peerAddress(context);
  if (peer === undefined || isTrusted(peer, trustedProxies)) return undefined;
  return plainAddress(context.req.header('x-forwarded-for')?.split(',').pop() ?? '');
}

function peerAddress(context: Context): string | undefined {
  const { incoming } = (context.env ?? {}) as Partial<HttpBindings>;
  return plainAddress(incoming?.socket.remoteAddress ?? '');
}

const warningsAtMost = 10;

/**
 * Warns once for each proxy whose `X-Forwarded-For` is ignored. Anybody can send that header, so the number of warnings
 * is limited.
 */
export function ignoredProxies(trustedProxies: BlockList | null) {
  const known = new Set<string>();
  return (context: Context, log: Pick<Log, 'warn'>): void => {
    if (known.size >= warningsAtMost || context.req.header('x-forwarded-for') === undefined) return;
    const address = peerAddress(context);
    if (address === undefined || isTrusted(address, trustedProxies) || known.has(address)) return;
    known.add(address);
    const message = `The X-Forwarded-For of ${address} is ignored, so addresses behind it cannot be told apart reliably. If it is a proxy, add it to CAIRN_TRUSTED_PROXIES.`;
    log.warn({ address }, message);
  };
}

function isTrusted(address: string, trustedProxies: BlockList | null): boolean {
  return trustedProxies?.check(address, isIPv4(address) ? 'ipv4' : 'ipv6') ?? false;
}

/** Drops brackets, port and zone, and unwraps IPv4 in IPv6. Undefined if the text is not an address. */
function plainAddress(text: string): string | undefined {
  const [, bracketed, before] = /^(?:\[([^\]]*)\](?::\d+)?|([\d.]+):\d+)$/.exec(text.trim()) ?? [];
  const address = (bracketed ?? before ?? text.trim()).replace(/%.*$/, '').toLowerCase();
  const mapped = /^::ffff:([\d.]+)$/.exec(address)?.[1];
  if (mapped !== undefined && isIPv4(mapped)) return mapped;
  return isIP(address) ? address : undefined;
}

/**
 * Parses addresses and networks, such as `10.0.0.0/8, ::1`.
 * @throws Error with the entry that is neither, or that contains every address.
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
  const maxBits = type === 'ipv6' ? 128 : 32;
  if (!isIP(address) || rest.length > 0 || (bits !== undefined && !(bits <= maxBits)))
    throw new Error(
      `must be addresses or networks such as 10.0.0.0/8, separated by commas; "${entry}" is neither`,
    );
  if (bits === 0) throw new Error(`must not trust every address as a proxy; "${entry}" is all addresses`);
  if (bits === undefined) list.addAddress(address, type);
  else list.addSubnet(address, bits, type);
}

/** Whether a host is `localhost`, in 127.0.0.0/8 or ::1, with or without brackets. */
export function isLoopback(host: string): boolean {
  const name = host.replace(/^\[|\]$/g, '').toLowerCase();
  return name === 'localhost' || name === '::1' || /^127(?:\.\d{1,3}){3}$/.test(name);
}

/** Whether a URL may receive secrets: https, or plain HTTP that never leaves this machine. */
export function isSafeUrl({ protocol, hostname }: URL): boolean {
  return protocol === 'https:' || (protocol === 'http:' && isLoopback(hostname));
}
