import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { readdir, readlink } from 'node:fs/promises';
import { get, type IncomingMessage } from 'node:http';
import { connect } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { setImmediate } from 'node:timers/promises';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type ByteSource, streamedBody } from '../../src/platform/http/sending.ts';
import { listen, type RunningServer } from '../../src/platform/http/server.ts';
import { putBlob, useService } from './service.ts';

const blobBytes = 12 << 20;
const service = useService();
let server: RunningServer;

beforeAll(async () => {
  const fetch = (request: Request, bindings?: object) => service.app.fetch(request, bindings);
  server = await listen({ fetch, host: '127.0.0.1', port: 0 });
});
afterAll(() => server.stop(0));

async function stored(): Promise<{ bytes: Buffer; path: string }> {
  const bytes = randomBytes(blobBytes);
  return { bytes, path: `/store/v1/blob/${(await putBlob(service, bytes)).json.cid}` };
}

async function answerTo(path: string, headers: Record<string, string> = {}): Promise<IncomingMessage> {
  const [answer] = await once(get(server.url + path, { headers, agent: false }), 'response');
  return answer;
}

/** Reads an answer in small steps. Other work goes on between them. */
async function readSlowly(answer: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of answer) {
    chunks.push(chunk);
    await setImmediate();
  }
  return Buffer.concat(chunks);
}

/** How many blobs of the service this process has open. */
async function openBlobs(): Promise<number> {
  const links = (await readdir('/proc/self/fd')).map((fd) => readlink(`/proc/self/fd/${fd}`).catch(() => ''));
  return (await Promise.all(links)).filter((link) => link.startsWith(`${service.folder}/blobs`)).length;
}

describe('large blobs', () => {
  it('keep their bytes for a slow reader, while many others are read', async () => {
    const slow = await stored();
    const quick = await stored();
    const waiting = await Promise.all([answerTo(slow.path), answerTo(slow.path, { range: 'bytes=1000-' })]);
    for (let round = 0; round < 2; round += 1) {
      const bodies = await Promise.all([1, 2, 3].map(async () => await buffer(await answerTo(quick.path))));
      expect(bodies.every((body) => body.equals(quick.bytes))).toBe(true);
    }
    const others = Promise.all([1, 2, 3].map(async () => await buffer(await answerTo(quick.path))));
    const [whole, range] = await Promise.all(waiting.map(readSlowly));
    expect(whole?.equals(slow.bytes)).toBe(true);
    expect(range?.equals(slow.bytes.subarray(1000))).toBe(true);
    expect((await others).every((body) => body.equals(quick.bytes))).toBe(true);
  });

  it.runIf(process.platform === 'linux')('are closed when a client leaves in the middle', async () => {
    const { path } = await stored();
    const answers = await Promise.all([answerTo(path), answerTo(path, { range: 'bytes=5-' })]);
    await expect.poll(openBlobs).toBe(2);
    for (const answer of answers) answer.destroy();
    await expect.poll(openBlobs).toBe(0);
  });
});

describe('an answer that is made while it is sent', () => {
  let closed: number;
  let next: ByteSource['next'];
  let making: RunningServer;

  beforeAll(async () => {
    const source: ByteSource = {
      next: () => next(),
      close: async () => {
        closed += 1;
      },
    };
    const fetch = () => new Response(streamedBody({ ...source }));
    making = await listen({ fetch, host: '127.0.0.1', port: 0 });
  });
  afterAll(() => making.stop(0));
  beforeEach(() => {
    closed = 0;
  });

  function ask(requests = 1) {
    const socket = connect(Number(new URL(making.url).port), '127.0.0.1').on('error', () => undefined);
    socket.write('GET / HTTP/1.1\r\nHost: localhost\r\n\r\n'.repeat(requests));
    return socket;
  }

  it('starts with its head, before there are bytes', async () => {
    const { promise, resolve } = Promise.withResolvers<undefined>();
    next = () => promise;
    const socket = ask();
    expect(String(await once(socket, 'data'))).toMatch(/^HTTP\/1.1 200 /);
    resolve(undefined);
    expect(String(await once(socket, 'data'))).toBe('0\r\n\r\n');
    expect(closed).toBe(1);
    socket.destroy();
  });

  it('resets the connection when its bytes cannot be made', async () => {
    const made = [Promise.resolve(Buffer.from('first'))];
    const failing = Promise.withResolvers<Buffer>();
    next = () => made.shift() ?? failing.promise;
    let received = '';
    const socket = ask().on('data', (chunk) => {
      received += chunk;
    });
    await expect.poll(() => received).toContain('first');
    failing.reject(new Error('The bytes cannot be made.'));
    await once(socket, 'close');
    expect(received).toMatch(/first\r\n$/);
    expect(closed).toBe(1);
  });

  it('is closed when the client leaves, though bytes are still awaited', async () => {
    next = () => new Promise(() => undefined);
    const socket = ask();
    await once(socket, 'data');
    socket.destroy();
    await expect.poll(() => closed).toBe(1);
  });

  it('is closed when the client leaves before its turn', async () => {
    next = async () => Buffer.alloc(1 << 20);
    const socket = ask(3).pause();
    await once(socket, 'readable');
    socket.destroy();
    await expect.poll(() => closed).toBe(3);
  });
});
