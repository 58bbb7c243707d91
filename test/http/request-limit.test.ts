import { expect, test } from 'vitest';
import { RequestLimit } from '../../src/platform/http/callers.ts';
import { putBlob, send, useService } from './service.ts';

const service = useService({ CAIRN_MAX_REQUESTS: '4' });

test('more requests than the limit are refused at once, and served again later', async () => {
  const gate = Promise.withResolvers<void>();
  const uploads = [1, 2, 3].map((byte) =>
    putBlob(
      service,
      new ReadableStream({
        async pull(controller) {
          await gate.promise;
          controller.enqueue(Uint8Array.of(byte));
          controller.close();
        },
      }),
    ),
  );
  await expect.poll(async () => (await send(service, 'GET', '/graph/v1')).status).toBe(503);
  const refused = await send(service, 'GET', '/graph/v1');
  expect(refused.json).toMatchObject({ code: 'unavailable' });
  expect(refused.headers.get('retry-after')).toBe('1');
  for (const path of ['/health/v1', '/ready']) expect((await send(service, 'GET', path)).status).toBe(200);
  gate.resolve();
  for (const upload of uploads) expect((await upload).status).toBe(200);
  expect((await send(service, 'GET', '/graph/v1')).status).toBe(200);
});

test('clients that go away in the middle of a request leave their place', async () => {
  const gone = () =>
    putBlob(service, new ReadableStream({ pull: (controller) => controller.error(new Error('gone')) }));
  await Promise.all(Array.from({ length: 3 }, gone));
  await Promise.all(Array.from({ length: 3 }, gone));
  expect((await send(service, 'GET', '/graph/v1')).status).toBe(200);
});

test('one caller leaves room for others', () => {
  const limit = new RequestLimit({ maxRequests: 4 });
  const running = Array.from({ length: 3 }, () => limit.enter('one'));
  expect(() => limit.enter('one')).toThrow('You have too many requests');
  using _other = limit.enter('other');
  expect(() => limit.enter('third')).toThrow('There are too many requests');
  for (const one of running) one[Symbol.dispose]();
  using _again = limit.enter('one');
});
