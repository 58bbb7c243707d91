import { Hono } from 'hono';
import { describe, expect, test } from 'vitest';
import { clientAddress, parseAddressList, reportedAddress } from '../../src/platform/http/addresses.ts';

/** The address of a request over a connection from `remote`. */
async function addressOf(remote: string | undefined, forwarded?: string, trusted?: string): Promise<string> {
  const app = new Hono();
  const list = trusted === undefined ? null : parseAddressList(trusted);
  app.get('/', (context) => context.text(clientAddress(context, list)));
  const headers: Record<string, string> = forwarded === undefined ? {} : { 'x-forwarded-for': forwarded };
  const bindings = remote === undefined ? undefined : { incoming: { socket: { remoteAddress: remote } } };
  return await (await app.request('/', { headers }, bindings)).text();
}

describe('the address of a caller', () => {
  test('is that of the connection, regardless of headers', async () => {
    expect(await addressOf('203.0.113.9')).toBe('203.0.113.9');
    expect(await addressOf('203.0.113.9', '198.51.100.1')).toBe('203.0.113.9');
    expect(await addressOf('203.0.113.9', '198.51.100.1', '10.0.0.0/8')).toBe('203.0.113.9');
    expect(await addressOf('::ffff:203.0.113.9')).toBe('203.0.113.9');
    expect(await addressOf('2001:DB8::9')).toBe('2001:db8::9');
    expect(await addressOf(undefined, '198.51.100.1', '10.0.0.0/8')).toBe('local');
  });

  test.each([
    ['the last entry that is not a trusted proxy', '198.51.100.1', '198.51.100.1'],
    ['not an entry that the caller invented', '8.8.8.8, 198.51.100.1', '198.51.100.1'],
    ['behind several proxies', '8.8.8.8, 198.51.100.1, 10.1.2.3,10.9.9.9', '198.51.100.1'],
    ['with a port', '198.51.100.1:4711', '198.51.100.1'],
    ['with brackets', '[2001:db8::1]:4711', '2001:db8::1'],
    ['as IPv4 in IPv6', '::ffff:198.51.100.1', '198.51.100.1'],
    ['the proxy itself after an invalid entry', '198.51.100.1, nonsense', '10.0.0.1'],
    ['the proxy itself after an empty entry', '198.51.100.1,', '10.0.0.1'],
    ['the farthest proxy when all are trusted', '10.7.7.7, 10.8.8.8', '10.7.7.7'],
  ])('behind a trusted proxy: %s', async (_name, forwarded, expected) => {
    expect(await addressOf('10.0.0.1', forwarded, '10.0.0.0/8, ::1')).toBe(expected);
    expect(await addressOf('::ffff:10.0.0.1', forwarded, '10.0.0.0/8')).toBe(expected);
  });

  test('is that of a trusted proxy that sends no X-Forwarded-For', async () => {
    expect(await addressOf('10.0.0.1', undefined, '10.0.0.1')).toBe('10.0.0.1');
  });
});

test.each([
  ['203.0.113.9', '8.8.8.8, 198.51.100.1', '198.51.100.1'],
  ['10.0.0.1', '8.8.8.8, 198.51.100.1, 203.0.113.9', ''],
  ['10.0.0.1', '198.51.100.1', ''],
  ['203.0.113.9', '8.8.8.8, nonsense', ''],
  ['203.0.113.9', undefined, ''],
])('the connection of %s with X-Forwarded-For %s reports "%s"', async (remote, forwarded, reported) => {
  const app = new Hono().get('/', (context) =>
    context.text(reportedAddress(context, parseAddressList('10.0.0.0/8')) ?? ''),
  );
  const headers: Record<string, string> = forwarded === undefined ? {} : { 'x-forwarded-for': forwarded };
  const answer = await app.request('/', { headers }, { incoming: { socket: { remoteAddress: remote } } });
  expect(await answer.text()).toBe(reported);
});

test.each([
  '',
  'host',
  '10.0.0.0/33',
  '10.0.0.0/-1',
  '10.0.0.0/8/8',
  '::/129',
  '10.0.0.1,',
  '10.0.0.0/',
  '1.2.3',
])('"%s" is refused as a list of addresses', (text) =>
  expect(() => parseAddressList(text)).toThrow('is neither'),
);

test.each(['0.0.0.0/0', '10.0.0.0/8, ::/0'])('"%s" is refused, because it trusts every address', (text) =>
  expect(() => parseAddressList(text)).toThrow('is all addresses'),
);
