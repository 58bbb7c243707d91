import { join } from 'node:path';
import { startBareHono } from './bare-process.ts';
import { connections, putSingles, warmUpSingles } from './load/singles.ts';
import { report } from './measure.ts';
import { bytesWritten, startService, withFolder } from './service-process.ts';

// PUT /statements/v1 with new statements over 32 connections, compared with a bare Hono route that only parses.

const seconds = Number(process.env.SECONDS_EACH ?? 8);

async function bareRate() {
  using bare = await startBareHono();
  await warmUpSingles(bare.url);
  return await putSingles(bare.url, seconds);
}

await withFolder(async (folder) => {
  const plain = await bareRate();
  await using service = await startService(join(folder, 'data'));
  await warmUpSingles(service.url);
  const before = await bytesWritten(service.pid);
  const ours = await putSingles(service.url, seconds);
  const written = (await bytesWritten(service.pid)) - before;
  report(`PUT /statements/v1, ${connections} connections`, [
    { what: 'bare Hono route', 'requests/s': plain.rate, 'p50 ms': plain.p50, 'p99 ms': plain.p99, ratio: 1 },
    {
      what: 'Cairn, durable',
      'requests/s': ours.rate,
      'p50 ms': ours.p50,
      'p99 ms': ours.p99,
      ratio: ours.rate / plain.rate,
      'kB written each': written / ours.requests / 1_000,
    },
  ]);
});
