import { connect } from 'node:net';
import { describe, expect, it, vi } from 'vitest';
import { listen } from '../../src/platform/http/server.ts';
import { send, useServer, useService } from './service.ts';

const service = useService();
const server = useServer(service);

/** Sends raw bytes, and returns the answer after the connection has ended. */
async function raw(text: string, { half = true } = {}): Promise<string> {
  return await new Promise((resolve, reject) => {
    const socket = connect(Number(new URL(server.url).port), '127.0.0.1');
    let received = '';
    socket.on('data', (chunk) => {
      received += chunk;
    });
    socket.on('error', reject).on('close', () => resolve(received));
    socket.write(text);
    if (half) socket.end();
  });
}

/** Disconnects during a request, like a killed client. */
async function breakOff(text: string): Promise<void> {
  await new Promise<void>((resolve) => {
    const socket = connect(Number(new URL(server.url).port), '127.0.0.1');
    socket.on('error', () => undefined).on('close', () => resolve());
    socket.write(text, () => socket.resetAndDestroy());
  });
}

const head = (path: string, more: string) =>
  `PUT ${path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n${more}\r\n`;

describe('the server', () => {
  it('answers HTTP/1.0 clients, which send no Host', async () => {
    const answer = await raw('GET /health/v1 HTTP/1.0\r\n\r\n', { half: false });
    expect(answer).toMatch(/^HTTP\/1.1 200 .*"status":"up"/s);
  });

  it.each([
    ['names no host', 'GET / HTTP/1.1\r\n'],
    ['names two hosts', 'GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nHost: evil.example\r\n'],
    ['names a host that is none', 'GET / HTTP/1.1\r\nHost: a b\r\n'],
    ['names a path as its host', 'GET / HTTP/1.1\r\nHost: x/../y?z\r\n'],
    ['asks for no path', 'GET * HTTP/1.1\r\nHost: 127.0.0.1\r\n'],
    ['asks for an address of another kind', 'GET ftp://127.0.0.1/ HTTP/1.1\r\nHost: 127.0.0.1\r\n'],
    ['asks for an address that is none', 'GET http://127.0.0.1:99999/ HTTP/1.1\r\nHost: 127.0.0.1\r\n'],
    ['has a backslash in its path', 'GET /\\evil.example HTTP/1.1\r\nHost: 127.0.0.1\r\n'],
  ])('refuses a request that %s, with a standard error body', async (_name, start) => {
    const answer = await raw(`${start}Connection: close\r\n\r\n`);
    const [top = '', body = ''] = answer.split('\r\n\r\n');
    expect(top).toMatch(/^HTTP\/1.1 400 /);
    expect(top).toMatch(/content-type: application\/json/i);
    expect(JSON.parse(body)).toEqual({
      error: expect.stringMatching(/^This is not a valid HTTP request: .+\.$/),
      code: 'invalid_request',
      request_id: expect.any(String),
    });
  });

  it('stores nothing of an upload whose connection closes early', async () => {
    const octets = 'Content-Type: application/octet-stream\r\n';
    for (const framing of ['Content-Length: 900000\r\n', 'Transfer-Encoding: chunked\r\n']) {
      const body = framing.startsWith('Transfer') ? `c350\r\n${'x'.repeat(50_000)}\r\n` : 'x'.repeat(50_000);
      expect(await raw(head('/store/v1/blob', octets + framing) + body)).toMatch(/^HTTP\/1.1 400/);
      await breakOff(head('/store/v1/blob', octets + framing) + body);
    }
    await vi.waitFor(async () => expect(await service.orphans()).toEqual([]), 5_000);
  });

  it('frees the write permit of an interrupted upload', async () => {
    await send(service, 'PUT', '/dynamic-config/v1', { blob_store_write_concurrency_limit: 1 });
    const multipart = 'Content-Type: multipart/form-data; boundary=b\r\nContent-Length: 900000\r\n';
    const part = `--b\r\nContent-Disposition: form-data; name="a"\r\n\r\n${'x'.repeat(50_000)}`;
    for (let at = 0; at < 3; at += 1) {
      await breakOff(
        `${head('/store/v1/blob', 'Content-Type: application/octet-stream\r\nContent-Length: 9\r\n')}x`,
      );
      await breakOff(head('/store/v1/blob/batch', multipart) + part);
      await breakOff(
        head('/store/v1/blob/batch', 'Content-Type: application/vnd.ipld.car\r\nContent-Length: 900\r\n') +
          '\u0001',
      );
    }
    const response = await fetch(`${server.url}/store/v1/blob`, {
      method: 'PUT',
      body: 'a whole one',
      headers: { 'content-type': 'application/octet-stream' },
    });
    expect(response.status).toBe(200);
  });

  it('frees the fetch permit of a reader who disconnects', async () => {
    await send(service, 'PUT', '/dynamic-config/v1', { blob_store_fetch_concurrency_limit: 1 });
    const stored = await fetch(`${server.url}/store/v1/blob`, {
      method: 'PUT',
      body: new Uint8Array(8 * 2 ** 20),
      headers: { 'content-type': 'application/octet-stream' },
    });
    const { cid } = (await stored.json()) as { cid: string };
    for (let at = 0; at < 3; at += 1) {
      await breakOff(`GET /store/v1/blob/${cid} HTTP/1.1\r\nHost: localhost\r\n\r\n`);
      const held = await fetch(`${server.url}/store/v1/blob/${cid}`);
      await held.body?.cancel();
    }
    const whole = await fetch(`${server.url}/store/v1/blob/${cid}`);
    expect((await whole.arrayBuffer()).byteLength).toBe(8 * 2 ** 20);
  });

  it.each([
    ['no HTTP', 'hello\r\n\r\n', /^HTTP\/1.1 400/],
    [
      'headers over 64 KiB',
      `GET / HTTP/1.1\r\nHost: localhost\r\nX: ${'x'.repeat(70_000)}\r\n\r\n`,
      /^HTTP\/1.1 431/,
    ],
    [
      'two framings at once',
      head('/store/v1/blob', 'Content-Length: 3\r\nTransfer-Encoding: chunked\r\n'),
      /^HTTP\/1.1 400/,
    ],
  ])('answers %s with a standard error body', async (_what, text, status) => {
    const answer = await raw(text);
    expect(answer).toMatch(status);
    expect(JSON.parse(answer.split('\r\n\r\n')[1] ?? '')).toMatchObject({
      error: expect.any(String),
      code: expect.any(String),
    });
  });

  it('accepts headers as large as a token that names 250 projects', async () => {
    const long = `Authorization: Bearer ${'x'.repeat(40_000)}\r\nConnection: close\r\n`;
    const answer = await raw(`GET /health/v1 HTTP/1.1\r\nHost: localhost\r\n${long}\r\n`);
    expect(answer).toMatch(/^HTTP\/1.1 200/);
  });

  it('refuses a foreign host in the request line', async () => {
    const answer = await raw(
      'GET http://evil.example/health/v1 HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n',
    );
    expect(answer).toMatch(/^HTTP\/1.1 403/);
  });

  it('says which port is taken', async () => {
    const port = Number(new URL(server.url).port);
    await expect(listen({ fetch: () => new Response(), host: '127.0.0.1', port })).rejects.toThrow(
      `Port ${port}`,
    );
    await expect(listen({ fetch: () => new Response(), host: '203.0.113.1', port: 0 })).rejects.toThrow(
      'CAIRN_HOST',
    );
  });

  it('finishes running requests before it stops', async () => {
    const begun = Promise.withResolvers<void>();
    const release = Promise.withResolvers<void>();
    const slow = await listen({
      fetch: async () => {
        begun.resolve();
        await release.promise;
        return new Response('finished');
      },
      host: '127.0.0.1',
      port: 0,
    });
    const answer = fetch(slow.url);
    await begun.promise;
    const stopped = slow.stop(10_000);
    release.resolve();
    expect(await (await answer).text()).toBe('finished');
    await stopped;
  });
});
