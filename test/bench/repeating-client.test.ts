import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { RepeatingClient } from '../../bench/repeating-client.ts';
import { cidOf, codecs } from '../../src/domain/integrity/identifiers/cid.ts';

/** A client of a server whose first answers are given, and whose last one is repeated. */
async function clientOf(...answers: readonly RequestListener[]): Promise<RepeatingClient> {
  let next = 0;
  const server = createServer((request, response) => {
    const answer = answers[Math.min(next, answers.length - 1)];
    next += 1;
    answer?.(request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  return new RepeatingClient(() => `http://127.0.0.1:${port}`);
}

const says =
  (status: number, body: string): RequestListener =>
  (_request, response) =>
    response.writeHead(status).end(body);
const hangUp: RequestListener = (request) => request.socket.destroy();

test('a request is sent again after 503 and after a lost connection', async () => {
  const client = await clientOf(says(503, 'busy'), hangUp, says(201, 'stored'));
  expect(await client.putBlob('a')).toBe(`/store/v1/blob/${cidOf(codecs.raw, 'a').text}`);
  expect([...client.retries]).toEqual([
    ['503', 1],
    ['lost connection', 1],
  ]);
});

test.each([400, 500])('a request is not sent again after %d', async (status) => {
  const client = await clientOf(says(status, 'wrong'), says(201, 'stored'));
  await expect(client.putBlob('a')).rejects.toThrow(`PUT /store/v1/blob: ${status} wrong`);
});

test('what is gone or holds other content is a problem', async () => {
  const client = await clientOf(says(404, 'none'), says(200, 'other'), says(200, '{"@id":"urn:cid:x"}'));
  const blob = `/store/v1/blob/${cidOf(codecs.raw, 'a').text}`;
  expect(await client.problems([blob])).toEqual([`GET ${blob.slice(0, 80)}: 404 none`]);
  expect(await client.problems([blob])).toEqual([`${blob} holds other content.`]);
  expect(await client.problems(['/statements/v1/id/urn:cid:x'])).toEqual([]);
  expect(await client.problems(['/statements/v1/id/urn:cid:y'])).toHaveLength(1);
});
