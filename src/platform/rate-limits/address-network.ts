import { isIPv6 } from 'node:net';

/** The unit in which callers are counted: an IPv4 address or an IPv6 /64, because an IPv6 host owns a whole /64. */
export function networkOf(address: string): string {
  if (!isIPv6(address)) return address;
  const [head = '', tail = ''] = address.split('::');
  const groups = head === '' ? [] : head.split(':');
  const ends = tail === '' ? [] : tail.split(':');
  const missing = 8 - groups.length - ends.length;
  const whole = address.includes('::') ? [...groups, ...Array<string>(missing).fill('0'), ...ends] : groups;
  return `${whole.slice(0, 4).join(':')}::/64`;
}
