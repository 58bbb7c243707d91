import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import autocannon from 'autocannon';
import { batchBody, batchSize, registerGraph, sendBatches } from './batch-ingestion.ts';
import { freePort } from './free-port.ts';
import { putSingles } from './load/singles.ts';
import { median, report } from './measure.ts';
import { type ServiceProcess, startService, withFolder } from './service-process.ts';

// The same services without telemetry, with metrics, and with metrics and traces, in turns. The time of the CPU is that of
// the service per statement, which says more than rates on a machine that does other work too.

const rounds = Number(process.env.ROUNDS ?? 5);
const batches = Number(process.env.BATCHES ?? 20);
const seconds = Number(process.env.SECONDS_EACH ?? 3);
const scrapesPerSecond = 100;

interface Measured {
  readonly rate: number;
  readonly cpuUs: number;
}

/** CPU time of a process in microseconds (Linux, 100 ticks a second). */
async function cpuTime(pid: number): Promise<number> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8');
  const [user = 0, system = 0] = stat.slice(stat.lastIndexOf(')')).split(' ').slice(12, 14).map(Number);
  return (user + system) * 10_000;
}

async function measure({ pid }: ServiceProcess, work: () => Promise<number>): Promise<Measured> {
  const [startedAt, cpuBefore] = [performance.now(), await cpuTime(pid)];
  const units = await work();
  const rate = (units / (performance.now() - startedAt)) * 1_000;
  return { rate, cpuUs: ((await cpuTime(pid)) - cpuBefore) / units };
}

async function health(url: string): Promise<{ 'p50 ms': number; 'p99 ms': number }> {
  const { latency } = await autocannon({
    url: `${url}/health/v1`,
    connections: 4,
    overallRate: 500,
    duration: seconds,
  });
  return { 'p50 ms': latency.p50, 'p99 ms': latency.p99 };
}

await withFolder(async (folder) => {
  const collector = createServer((request, response) => {
    request.resume().on('end', () => response.writeHead(200).end());
  }).listen(0, '127.0.0.1');
  await once(collector, 'listening');
  const { port } = collector.address() as AddressInfo;
  const metricsPorts = [await freePort(), await freePort()].map(String);
  const variants: Readonly<Record<string, Record<string, string>>> = {
    'without telemetry': {},
    metrics: { CAIRN_METRICS_PORT: String(metricsPorts[0]) },
    'metrics and all traces': {
      CAIRN_METRICS_PORT: String(metricsPorts[1]),
      OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${port}`,
    },
  };
  await using opened = new AsyncDisposableStack();
  const services: (readonly [string, ServiceProcess])[] = [];
  for (const [name, environment] of Object.entries(variants))
    services.push([
      name,
      opened.use(await startService(join(folder, name.replaceAll(' ', '-')), environment)),
    ]);

  for (const [, { url }] of services) await registerGraph(url);
  const works: Readonly<Record<string, (url: string, round: number) => Promise<number>>> = {
    'PUT /statements/v1': async (url) => (await putSingles(url, seconds)).requests,
    'PUT /statements/v1/batch': async (url, round) => {
      await sendBatches(
        [url],
        Array.from({ length: batches }, (_, batch) => batchBody(batch, round)),
      );
      return batches * batchSize;
    },
  };
  for (const [title, work] of Object.entries(works)) {
    const measured = new Map<string, Measured[]>(services.map(([name]) => [name, []]));
    for (let round = 0; round <= rounds; round += 1)
      for (const [name, service] of services) {
        const one = await measure(service, () => work(service.url, round));
        // The first round warms up.
        if (round > 0) measured.get(name)?.push(one);
      }
    const first = measured.get('without telemetry') ?? [];
    report(
      `${title}, in ${rounds} turns`,
      [...measured].map(([what, all]) => ({
        what,
        'statements/s': median(all.map(({ rate }) => rate)),
        ratio: median(all.map(({ rate }, round) => rate / (first[round]?.rate ?? Number.NaN))),
        'CPU µs each': median(all.map(({ cpuUs }) => cpuUs)),
        'CPU ratio': median(all.map(({ cpuUs }, round) => cpuUs / (first[round]?.cpuUs ?? Number.NaN))),
      })),
    );
  }

  const [, service] = services[1] ?? [];
  if (!service) throw new Error('The service with metrics is missing.');
  const before = await health(service.url);
  const [during] = await Promise.all([
    health(service.url),
    autocannon({
      url: `http://127.0.0.1:${metricsPorts[0]}/metrics`,
      connections: 10,
      overallRate: scrapesPerSecond,
      duration: seconds,
    }),
  ]);
  report('GET /health/v1', [
    { what: 'not scraped', ...before },
    { what: `${scrapesPerSecond} scrapes a second`, ...during },
  ]);
  await opened.disposeAsync();
  collector.close();
  collector.closeAllConnections();
});
