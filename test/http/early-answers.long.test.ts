import { once } from 'node:events';
import { request } from 'node:http';
import { connect, type Socket } from 'node:net';
import type { HttpBindings } from '@hono/node-server';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { listen, type RunningServer } from '../../src/platform/http/server.ts';
import { useService } from './service.ts';

const mebibyte = 1 << 20;
const service = useService({
  CAIRN_MAX_JSON_BYTES: String(mebibyte),
  CAIRN_MAX_BLOB_BYTES: String(mebibyte),
});
let server: RunningServer;
/** The server's side of the last connection. */
let accepted: Socket;

beforeAll(async () => {
  const fetch = (asked: Request, bindings?: object) => {
    accepted = (bindings as HttpBindings).incoming.socket;
    return service.app.fetch(asked, bindings);
  };
  server = await listen({ fetch, host: '127.0.0.1', port: 0 });
});
afterAll(() => server.stop(0));

const head = (path: string, framing: string) =>
  `PUT ${path} HTTP/1.1\r\nHost: localhost\r\nContent-Type: ${path.endsWith('blob') ? 'application/octet-stream' : 'application/json'}\r\n${framing}\r\n\r\n`;

describe('a body that is refused before it has arrived', () => {
  let socket: Socket;
  let received: string;
  let closed: Promise<unknown>;

  beforeEach(async () => {
    socket = connect(Number(new URL(server.url).port), '127.0.0.1');
    received = '';
    socket
      .on('error', () => undefined)
      .on('data', (chunk) => {
        received += chunk;
      });
    closed = new Promise((resolve) => socket.on('close', resolve));
    await once(socket, 'connect');
  });

  const answered = () => expect.poll(() => received, { timeout: 5_000 }).toContain('"code":"too_large"');

  it.each(['/statements/v1/batch', '/statements/v1', '/store/v1/jcs', '/store/v1/blob'])(
    'is answered by PUT %s as soon as its length is known, and the connection closes',
    async (path) => {
      socket.write(head(path, `Content-Length: ${64 * mebibyte}`));
      await answered();
      expect(received).toMatch(/^HTTP\/1.1 413 /);
      expect(received).toMatch(/connection: close/i);
      socket.end();
      await closed;
    },
  );

  it('is answered at the limit if its length is not announced', async () => {
    const chunk = `10000\r\n${'x'.repeat(1 << 16)}\r\n`;
    socket.write(head('/store/v1/jcs', 'Transfer-Encoding: chunked') + chunk.repeat(17));
    await answered();
    expect(received).toMatch(/connection: close/i);
    socket.end();
    await closed;
  });

  it('is not read to its end, and a client that never stops is disconnected', async () => {
    const body = Buffer.alloc(64 * mebibyte);
    socket.write(head('/store/v1/jcs', `Content-Length: ${body.length}`));
    socket.write(body);
    await answered();
    await closed;
    expect(accepted.bytesRead).toBeLessThan(4 * mebibyte);
  });

  it('is read a little further for a client that takes the answer after it has sent the body', async () => {
    const body = Buffer.alloc(mebibyte + 100_000);
    socket.pause();
    socket.write(head('/store/v1/blob', `Content-Length: ${body.length}`));
    await new Promise<void>((resolve) => socket.write(body, () => resolve()));
    socket.resume();
    await closed;
    expect(received).toContain('"code":"too_large"');
  });

  it('gets its answer to an HTTP client that sends many megabytes', async () => {
    for (let at = 0; at < 5; at += 1) {
      const sent = request(new URL('/store/v1/jcs', server.url), {
        method: 'PUT',
        headers: { 'content-type': 'application/json' },
      });
      sent.on('error', () => undefined);
      sent.end(Buffer.alloc(33 * mebibyte));
      const [answer] = await once(sent, 'response');
      expect(answer.statusCode).toBe(413);
      answer.resume();
      await once(answer, 'end');
    }
  });
});

it('a refused body that has arrived whole leaves its connection open', async () => {
  const sent = request(new URL('/store/v1/nothing', server.url), { method: 'PUT' });
  sent.end('small');
  const [answer] = await once(sent, 'response');
  expect([answer.statusCode, answer.headers.connection]).toEqual([404, 'keep-alive']);
  answer.resume();
});
