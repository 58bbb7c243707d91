import type { Metrics } from './metrics.ts';

/** Scrapers that come more often get the same page again. */
const keptMs = 1_000;

/** Answers GET /metrics. However often it is asked, the values are read once a second and by one reader at a time. */
export function metricsPage(
  metrics: Pick<Metrics, 'text' | 'contentType'>,
): (request: Request) => Promise<Response> {
  let page: Promise<Buffer<ArrayBuffer>> | undefined;
  let forgetAt = Number.POSITIVE_INFINITY;

  function read(): Promise<Buffer<ArrayBuffer>> {
    if (page && performance.now() < forgetAt) return page;
    forgetAt = Number.POSITIVE_INFINITY;
    page = metrics.text().then((text) => Buffer.from(text));
    const done = () => {
      forgetAt = performance.now() + keptMs;
    };
    page.then(done, done);
    return page;
  }

  return async ({ method, url }) => {
    if (new URL(url).pathname !== '/metrics') return new Response('See /metrics.\n', { status: 404 });
    if (method !== 'GET' && method !== 'HEAD')
      return new Response(null, { status: 405, headers: { allow: 'GET, HEAD' } });
    const body = await read();
    return new Response(method === 'HEAD' ? null : body, {
      headers: { 'content-type': metrics.contentType, 'cache-control': 'no-store' },
    });
  };
}
