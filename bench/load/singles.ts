import autocannon from 'autocannon';
import { exampleStatement } from '../example-statements.ts';

export const connections = 32;
/** Until V8 has optimized the server and the client. */
const warmUpSeconds = 10;
/** Made before the measurement. A server that is faster gets others, which are made during it. */
const bodiesPerSecond = 10_000;
let next = 0;

export async function warmUpSingles(url: string): Promise<void> {
  await putSingles(url, warmUpSeconds);
}

/** Sends new statements one by one over 32 connections. @throws when one is refused. */
export async function putSingles(url: string, seconds: number) {
  const bodies = Array.from({ length: seconds * bodiesPerSecond }, () => newBody(url));
  const { requests, latency, non2xx, errors } = await autocannon({
    url: `${url}/statements/v1`,
    method: 'PUT',
    connections,
    duration: seconds,
    headers: { 'content-type': 'application/json' },
    requests: [
      {
        setupRequest: (request) => ({ ...request, body: bodies.pop() ?? newBody(url) }),
      },
    ],
  });
  if (non2xx > 0 || errors > 0) throw new Error(`${non2xx} refused, ${errors} failed.`);
  return { requests: requests.total, rate: requests.average, p50: latency.p50, p99: latency.p99 };
}

function newBody(url: string): string {
  next += 1;
  return JSON.stringify({ statement: exampleStatement(next, `${url} `), generate_id: true });
}
