import { join } from 'node:path';
import autocannon from 'autocannon';
import { startBareHono } from './bare-process.ts';
import { exampleStatement } from './example-statements.ts';
import { report } from './measure.ts';
import { startService, withFolder } from './service-process.ts';

// PUT /statements/v1 with new statements over 32 connections, compared with a bare Hono route that only parses.

const connections = 32;
const duration = Number(process.env.SECONDS_EACH ?? 8);
let next = 0;

async function load(url: string): Promise<{ rate: number; p50: number; p99: number }> {
  const result = await autocannon({
    url: `${url}/statements/v1`,
    method: 'PUT',
    connections,
    duration,
    headers: { 'content-type': 'application/json' },
    requests: [
      {
        setupRequest: (request) => {
          next += 1;
          return {
            ...request,
            body: JSON.stringify({ statement: exampleStatement(next, `${url} `), generate_id: true }),
          };
        },
      },
    ],
  });
  if (result.non2xx > 0 || result.errors > 0)
    throw new Error(`${result.non2xx} refused, ${result.errors} failed.`);
  return { rate: result.requests.average, p50: result.latency.p50, p99: result.latency.p99 };
}

await withFolder(async (folder) => {
  const bare = await startBareHono();
  const plain = await load(bare.url);
  bare.stop();
  await using service = await startService(join(folder, 'data'));
  const ours = await load(service.url).catch((error: unknown) => error);
  if (ours instanceof Error) throw ours;
  const { rate, p50, p99 } = ours as Awaited<ReturnType<typeof load>>;
  report(`PUT /statements/v1, ${connections} connections`, [
    { what: 'bare Hono route', 'requests/s': plain.rate, 'p50 ms': plain.p50, 'p99 ms': plain.p99, ratio: 1 },
    { what: 'Cairn, durable', 'requests/s': rate, 'p50 ms': p50, 'p99 ms': p99, ratio: rate / plain.rate },
  ]);
});
