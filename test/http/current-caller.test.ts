import { request as send } from 'node:http';
import type { HttpBindings } from '@hono/node-server';
import { Hono } from 'hono';
import { expect, onTestFinished, test } from 'vitest';
import { asCaller, currentCaller } from '../../src/platform/http/callers.ts';
import { listen } from '../../src/platform/http/server.ts';

test('work knows its caller, and learns that the client has disconnected', async () => {
  const begun = Promise.withResolvers<void>();
  const left = Promise.withResolvers<string | undefined>();
  const work = async () => {
    const caller = currentCaller();
    caller?.signal.addEventListener('abort', () => left.resolve(caller.key));
    begun.resolve();
    await left.promise;
    return new Response();
  };
  const app = new Hono<{ Bindings: HttpBindings }>();
  app.put('/', async (context) => {
    for await (const _ of context.env.incoming);
    return await asCaller(context, 'one', work);
  });
  const server = await listen({ fetch: app.fetch, host: '127.0.0.1', port: 0 });
  onTestFinished(() => server.stop(0));
  const client = send(server.url, { method: 'PUT', headers: { host: 'localhost' } });
  client.on('error', () => undefined);
  client.end('x'.repeat(100_000));
  await begun.promise;
  client.destroy();
  expect(await left.promise).toBe('one');
  expect(currentCaller()).toBeUndefined();
});
