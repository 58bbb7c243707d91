import autocannon from 'autocannon';
import { exampleStatement } from '../example-statements.ts';

export const connections = 32;
/** Until V8 has optimized the server and the client. */
const warmUpSeconds = 10;
let next = 0;

export async function warmUpSingles(url: string): Promise<void> {
  await putSingles(url, warmUpSeconds);
}

/** Sends new statements one by one over 32 connections. @throws when one is refused. */
export async function putSingles(url: string, seconds: number) {
  const { requests, latency, non2xx, errors } = await autocannon({
    url: `${url}/statements/v1`,
    method: 'PUT',
    connections,
    duration: seconds,
    headers: { 'content-type': 'application/json' },
    requests: [
      {
        setupRequest: (request) => {
          next += 1;
          const statement = exampleStatement(next, `${url} `);
          return { ...request, body: JSON.stringify({ statement, generate_id: true }) };
        },
      },
    ],
  });
  if (non2xx > 0 || errors > 0) throw new Error(`${non2xx} refused, ${errors} failed.`);
  return { requests: requests.total, rate: requests.average, p50: latency.p50, p99: latency.p99 };
}
