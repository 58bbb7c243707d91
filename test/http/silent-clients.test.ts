import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import type { HttpBindings } from '@hono/node-server';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { listen, type RunningServer, type ServerOptions } from '../../src/platform/http/server.ts';

const windowMs = 30_000;

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setInterval'] });
});
afterEach(() => {
  vi.useRealTimers();
});

async function withServer(
  options: Pick<ServerOptions, 'fetch'>,
  work: (open: () => Promise<Socket>) => Promise<void>,
): Promise<void> {
  const server: RunningServer = await listen({ ...options, host: '127.0.0.1', port: 0 });
  try {
    await work(async () => {
      const socket = connect(Number(new URL(server.url).port), '127.0.0.1');
      socket.on('error', () => undefined);
      await once(socket, 'connect');
      return socket;
    });
  } finally {
    await server.stop(0);
  }
}

const upload = 'PUT / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1000000\r\n\r\n';

/** Reads bodies to their end, and reports every chunk. */
function reader() {
  let next = Promise.withResolvers<void>();
  return {
    async arrived(): Promise<void> {
      await next.promise;
      next = Promise.withResolvers();
    },
    async fetch(_request: Request, bindings?: object): Promise<Response> {
      try {
        for await (const _chunk of (bindings as HttpBindings).incoming) next.resolve();
      } catch {
        return new Response('broken off');
      }
      return new Response('complete');
    },
  };
}

describe('an upload', () => {
  it('that sends less than 1 KiB a second over 30 seconds is answered 408 and closed', async () => {
    const { fetch, arrived } = reader();
    await withServer({ fetch }, async (open) => {
      const socket = await open();
      const answer = text(socket);
      socket.write(`${upload}x`);
      for (let window = 0; window < 2; window += 1) {
        await arrived();
        vi.advanceTimersByTime(windowMs);
        socket.write('x');
      }
      const [head = '', body = ''] = (await answer).split('\r\n\r\n');
      expect(head).toMatch(/^HTTP\/1.1 408 /);
      expect(JSON.parse(body)).toEqual({
        error: expect.stringContaining('1024 bytes a second'),
        code: 'too_slow',
        request_id: expect.any(String),
      });
    });
  });

  it('that sends enough may take any time', async () => {
    const { fetch, arrived } = reader();
    await withServer({ fetch }, async (open) => {
      const socket = await open();
      const answer = once(socket, 'data');
      socket.write(upload);
      for (let part = 0; part < 25; part += 1) {
        socket.write(Buffer.alloc(40_000));
        await arrived();
        if (part % 2 === 1) vi.advanceTimersByTime(windowMs);
      }
      expect(String((await answer)[0])).toContain('complete');
      socket.destroy();
    });
  });

  it('is not blamed while the service does not read it', async () => {
    const release = Promise.withResolvers<void>();
    const begun = Promise.withResolvers<void>();
    let incoming: HttpBindings['incoming'] | undefined;
    const fetch = async (_request: Request, bindings?: object) => {
      ({ incoming } = bindings as HttpBindings);
      begun.resolve();
      await release.promise;
      return new Response('complete');
    };
    await withServer({ fetch }, async (open) => {
      const socket = await open();
      const answer = once(socket, 'data');
      socket.write(upload + 'x'.repeat(1_000));
      await begun.promise;
      for (let window = 0; window < 3; window += 1) vi.advanceTimersByTime(windowMs);
      incoming?.socket.emit('timeout');
      release.resolve();
      expect(String((await answer)[0])).toContain('complete');
      socket.destroy();
    });
  });

  it('that falls silent is answered 408', async () => {
    const fetch = async (_request: Request, bindings?: object) => {
      const { socket } = (bindings as HttpBindings).incoming;
      queueMicrotask(() => socket.emit('timeout'));
      await once(socket, 'close');
      return new Response('ignored');
    };
    await withServer({ fetch }, async (open) => {
      const socket = await open();
      socket.write(upload);
      expect(await text(socket)).toMatch(/^HTTP\/1.1 408 /);
    });
  });
});

describe('a reader', () => {
  it('that takes nothing is closed, and its answer is cancelled', async () => {
    const cancelled = Promise.withResolvers<void>();
    let bindings: HttpBindings | undefined;
    const fetch = (_request: Request, given?: object) => {
      bindings = given as HttpBindings;
      return new Response(
        new ReadableStream({
          pull: (controller) => controller.enqueue(new Uint8Array(1 << 20)),
          cancel: () => cancelled.resolve(),
        }),
      );
    };
    await withServer({ fetch }, async (open) => {
      const socket = await open();
      socket.pause().write('GET / HTTP/1.1\r\nHost: localhost\r\n\r\n');
      await vi.waitFor(() => expect(bindings?.outgoing.writableNeedDrain).toBe(true));
      bindings?.incoming.socket.emit('timeout');
      await cancelled.promise;
      socket.destroy();
    });
  });
});
