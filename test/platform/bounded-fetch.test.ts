import { createServer } from 'node:http';
import { describe, expect, test } from 'vitest';
import { boundedFetch } from '../../src/platform/http/bounded-fetch.ts';

/** A server that redirects `/` and answers everything else. */
async function openRedirecting() {
  const asked: string[] = [];
  const server = createServer((request, response) => {
    asked.push(request.url ?? '');
    if (request.url === '/') response.writeHead(302, { location: '/elsewhere' }).end();
    else response.end('0123456789');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  const port = typeof address === 'object' ? address?.port : undefined;
  return {
    url: `http://127.0.0.1:${port}`,
    asked,
    [Symbol.asyncDispose]: async () => void server.close(),
  };
}

describe('a bounded fetch', () => {
  test('returns a redirect and does not follow it', async () => {
    await using server = await openRedirecting();
    const fetch = boundedFetch({ timeoutMs: 5_000, maxBytes: 100 });
    expect((await fetch(`${server.url}/`, { headers: { authorization: 'Bearer secret' } })).status).toBe(302);
    expect(server.asked).toEqual(['/']);
  });

  test('refuses a response above its limit', async () => {
    await using server = await openRedirecting();
    const of = (maxBytes: number) => boundedFetch({ timeoutMs: 5_000, maxBytes })(`${server.url}/body`);
    expect(await (await of(10)).text()).toBe('0123456789');
    await expect(of(9)).rejects.toThrow('more than 9 bytes');
  });
});
