import { isIPv6 } from 'node:net';

/** What stands for an address where callers are counted: whoever has an IPv6 address has a /64 of them. */
export function networkOf(address: string): string {
  if (!isIPv6(address)) return address;
  const [head = '', tail = ''] = address.split('::');
  const groups = head === '' ? [] : head.split(':');
  const ends = tail === '' ? [] : tail.split(':');
  const missing = 8 - groups.length - ends.length;
  const whole = address.includes('::') ? [...groups, ...Array<string>(missing).fill('0'), ...ends] : groups;
  return `${whole.slice(0, 4).join(':')}::/64`;
}
