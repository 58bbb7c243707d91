import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { pino } from 'pino';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { permissions } from '../../src/domain/access/grants.ts';
import { listen, type RunningServer } from '../../src/platform/http/server.ts';
import { startProvider } from '../access/provider.ts';
import { oidcSettings, sendAs, tokenWith } from './access-world.ts';
import { useService } from './service.ts';

const provider = await startProvider();
const lines: Record<string, unknown>[] = [];
const log = pino({ level: 'info' }, { write: (line) => void lines.push(JSON.parse(line)) });
const settings = { ...oidcSettings(provider), CAIRN_TRUSTED_PROXIES: '127.0.0.1,10.0.0.0/8' };
const service = useService({ ...settings, CAIRN_TOKEN_FAILURE_RATE: '3/1h' }, log);
let server: RunningServer;

beforeAll(async () => {
  server = await listen({ fetch: (...called) => service.app.fetch(...called), host: '127.0.0.1', port: 0 });
});
afterAll(async () => {
  await server.stop(0);
  await provider[Symbol.asyncDispose]();
});
beforeEach(() => void lines.splice(0));

const good = async () => await tokenWith(provider, { '*': permissions });
let addresses = 0;
const newAddress = () => {
  addresses += 1;
  return `198.51.100.${addresses}`;
};

/** Sends raw text over a connection. */
async function raw(...head: string[]): Promise<string> {
  const { hostname, port } = new URL(server.url);
  const socket = connect(Number(port), hostname);
  await once(socket, 'connect');
  socket.write([...head, 'host: 127.0.0.1', 'connection: close', '', ''].join('\r\n'));
  return await text(socket);
}

async function get(authorization: string | undefined, address: string, path = '/graph/v1') {
  const headers = { 'x-forwarded-for': address, ...(authorization !== undefined && { authorization }) };
  return await fetch(`${server.url}${path}`, { headers });
}

describe('a caller without a valid token', () => {
  test('is refused before the body is read', async () => {
    let pulled = 0;
    const body = new ReadableStream(
      {
        pull(controller) {
          pulled += 1;
          controller.enqueue(new Uint8Array(1_024));
        },
      },
      { highWaterMark: 0 },
    );
    for (const token of [undefined, await tokenWith(provider, {})]) {
      const init = {
        method: 'PUT',
        body,
        duplex: 'half',
        headers: {
          'content-type': 'application/octet-stream',
          ...(token !== undefined && { authorization: `Bearer ${token}` }),
        },
      };
      const { status } = await service.app.request('/store/v1/blob', init as RequestInit);
      expect(status).toBe(token === undefined ? 401 : 403);
    }
    expect(pulled).toBe(0);
  });

  test.each([
    ['another scheme', ['authorization: Basic YTpi'], '401 Unauthorized', 'www-authenticate: Bearer\r\n'],
    ['no token', ['authorization: Bearer'], '401', 'Bearer error="invalid_token"'],
    ['two tokens in one', ['authorization: Bearer a b'], '401', 'Bearer error="invalid_token"'],
    ['a tab', ['authorization: Bearer a\tb'], '401', 'Bearer error="invalid_token"'],
    ['a letter that no token has', ['authorization: Bearer \u00e4'], '401', 'Bearer error="invalid_token"'],
    ['a control character', ['authorization: Bearer a\u0001b'], '400 Bad Request', 'invalid_request'],
    ['a null', ['authorization: Bearer a\u0000b'], '400 Bad Request', 'invalid_request'],
    ['100 kB', [`authorization: Bearer ${'a'.repeat(100_000)}`], '431', 'too_large'],
  ])('sends %s', async (_name, headers, status, said) => {
    const forwarded = `x-forwarded-for: ${newAddress()}`;
    const answer = await raw('GET /graph/v1 HTTP/1.1', forwarded, ...headers);
    expect(answer).toContain(`HTTP/1.1 ${status}`);
    expect(answer).toContain(said);
  });

  test('is refused with two headers', async () => {
    const authorization = `authorization: Bearer ${await good()}`;
    const forwarded = `x-forwarded-for: ${newAddress()}`;
    expect(await raw('GET /graph/v1 HTTP/1.1', forwarded, authorization)).toContain('HTTP/1.1 200');
    for (const other of [authorization, 'authorization: Bearer x', 'Authorization: Basic YTpi'])
      for (const both of [
        [authorization, other],
        [other, authorization],
      ])
        expect(await raw('GET /graph/v1 HTTP/1.1', `x-forwarded-for: ${newAddress()}`, ...both)).toContain(
          'HTTP/1.1 401',
        );
  });
});

describe('a failed attempt', () => {
  const refusals = () => lines.filter(({ msg }) => msg === 'A caller was refused.');

  test('is logged with its reason, request and address, and never with a token', async () => {
    const [address, token] = [newAddress(), await provider.foreignKeyToken('access')];
    const request = { headers: { authorization: `Bearer ${token}`, 'x-forwarded-for': address } };
    const answer = await fetch(`${server.url}/graph/v1`, {
      headers: { ...request.headers, 'x-request-id': 'the-request' },
    });
    expect(answer.status).toBe(401);
    expect(refusals()).toEqual([
      expect.objectContaining({ reason: 'unknown_key', request_id: 'the-request', address, level: 40 }),
    ]);
    const [header = '', claims = '', signature = ''] = token.split('.');
    for (const part of [header, claims, signature]) {
      expect(JSON.stringify(lines)).not.toContain(part);
      expect(await answer.clone().text()).not.toContain(part);
    }
  });

  test.each([
    ['missing', async () => undefined],
    ['malformed', async () => 'Bearer a b'],
    ['too_long', async () => `Bearer ${'a'.repeat(50_000)}`],
    ['expired', async () => `Bearer ${await provider.accessToken({ claims: { exp: 1 } })}`],
    ['wrong_audience', async () => `Bearer ${await provider.idToken()}`],
    ['wrong_algorithm', async () => `Bearer ${provider.unsignedToken('access')}`],
  ])('has a stable reason: %s', async (reason, authorization) => {
    const header = await authorization();
    const init = header === undefined ? {} : { headers: { authorization: header } };
    const address = newAddress();
    await service.app.request('/graph/v1', init, { incoming: { socket: { remoteAddress: address } } });
    expect(refusals()).toEqual([expect.objectContaining({ reason, address })]);
  });
});

describe('an address with too many refused tokens', () => {
  /** Sends a wrong token, another one each time. */
  const fail = async (address: string) => (await get(`Bearer wrong-${randomUUID()}`, address)).status;

  test('gets 429 before its token is verified, except for a token that was accepted a moment ago', async () => {
    const address = newAddress();
    const [known, fresh] = [await good(), await good()];
    expect((await get(`Bearer ${known}`, address)).status).toBe(200);
    expect([await fail(address), await fail(address), await fail(address)]).toEqual([401, 401, 401]);
    const limited = await get(`Bearer ${fresh}`, address);
    expect([limited.status, ((await limited.json()) as { code: string }).code]).toEqual([
      429,
      'rate_limited',
    ]);
    expect(Number(limited.headers.get('retry-after'))).toBeGreaterThan(3_000);
    expect(await fail(address)).toBe(429);
    expect((await get(`Bearer ${known}`, address)).status).toBe(200);
    expect((await get(`Bearer ${fresh}`, newAddress())).status).toBe(200);
  });

  test('is the address that the last trusted proxy reports', async () => {
    const [address, invented] = [newAddress(), newAddress()];
    for (const forwarded of [`${invented}, ${address}`, address, `${invented}, ${address}, 10.1.1.1`])
      expect(await fail(forwarded)).toBe(401);
    expect(await fail(address)).toBe(429);
    expect(await fail(invented)).toBe(401);
  });

  test('does not lock out others behind an unlisted proxy, who together may fail ten times as often', async () => {
    const proxy = newAddress();
    const ask = async (token: string, forwarded: string) => {
      const headers = { authorization: `Bearer ${token}`, 'x-forwarded-for': forwarded };
      const from = { incoming: { socket: { remoteAddress: proxy } } };
      return (await service.app.request('/graph/v1', { headers }, from)).status;
    };
    const guess = () => `wrong-${randomUUID()}`;
    const address = newAddress();
    for (const expected of [401, 401, 401, 429])
      expect(await ask(guess(), `8.8.8.8, ${address}`)).toBe(expected);
    expect(await ask(await good(), address)).toBe(429);
    expect(await ask(await good(), newAddress())).toBe(200);
    for (let failure = 3; failure < 30; failure += 1) expect(await ask(guess(), newAddress())).toBe(401);
    expect(await ask(guess(), newAddress())).toBe(429);
    expect(await ask(await good(), newAddress())).toBe(429);
  });

  test('can use public routes, and is not counted without a token or with insufficient permissions', async () => {
    const address = newAddress();
    const weak = await tokenWith(provider, {});
    for (let n = 0; n < 5; n += 1) {
      expect((await get(undefined, address)).status).toBe(401);
      expect((await get(`Bearer ${weak}`, address, '/dynamic-config/v1')).status).toBe(200);
      expect((await get(`Bearer ${weak}`, address, '/store/v1/exists/x')).status).toBe(403);
    }
    for (let n = 0; n < 4; n += 1) await fail(address);
    for (const path of ['/health/v1', '/openapi.json', '/ui/lineage', '/docs'])
      expect((await get('Bearer wrong', address, path)).status).toBe(200);
  });
});

describe('while the issuer is away', () => {
  test('the service starts, serves public routes, answers 503 otherwise, and recovers', async () => {
    const token = await good();
    await provider.stop();
    await service.restart({ CAIRN_TOKEN_FAILURE_RATE: '100/1h' });
    const ask = async () => await sendAs(service, token, { method: 'GET', path: '/graph/v1' });
    const answer = await ask();
    expect([answer.status, answer.json.code]).toEqual([503, 'unavailable']);
    expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0);
    expect((await sendAs(service, undefined, { method: 'GET', path: '/ready' })).status).toBe(200);
    expect((await sendAs(service, undefined, { method: 'GET', path: '/graph/v1' })).status).toBe(401);
    await provider.start();
    await expect.poll(async () => (await ask()).status).toBe(200);
    await provider.stop();
    expect((await ask()).status).toBe(200);
    const others = await provider.foreignKeyToken('access');
    expect((await sendAs(service, others, { method: 'GET', path: '/graph/v1' })).status).not.toBe(200);
    await provider.start();
  });
});
