import { Hono } from 'hono';
import { expect, test } from 'vitest';
import { streamBody } from '../../src/http/answering.ts';

test('a client that leaves while bytes are read is no error, and the content is closed', async () => {
  const errors: object[] = [];
  let disposed = 0;
  const holder = {
    [Symbol.asyncDispose]: async () => {
      disposed += 1;
    },
  };
  const { promise: slow, resolve: arrive } = Promise.withResolvers<void>();
  const { promise: waiting, resolve: wait } = Promise.withResolvers<void>();
  async function* bytes() {
    yield Buffer.from('first');
    wait();
    await slow;
    yield Buffer.from('second');
  }
  const app = new Hono().get('/', (context) => {
    context.set('log' as never, { error: (fields: object) => void errors.push(fields) } as never);
    return new Response(streamBody(context, bytes(), holder));
  });
  const reader = (await app.request('/')).body?.getReader() ?? expect.fail();
  await reader.read();
  const reading = reader.read();
  await waiting;
  const left = reader.cancel();
  arrive();
  await Promise.all([reading, left]);
  expect(errors).toEqual([]);
  expect(disposed).toBe(1);
});
