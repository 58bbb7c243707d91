import { join } from 'node:path';
import autocannon from 'autocannon';
import { cpuSeconds, type Row, report } from './measure.ts';
import { withMongoService } from './mongo-service.ts';
import { type ServiceProcess, startService, withFolder } from './service-process.ts';

// POST /api/v1/lineage over 32 connections. Each run has a START and a COMPLETE event. It reads what the run before it has
// written, and a table that none has written.

const connections = 32;
const seconds = Number(process.env.SECONDS_EACH ?? 8);
const warmUpSeconds = 10;
let next = 0;

const rows: Row[] = [];
await withFolder(async (folder) => {
  await using service = await startService(join(folder, 'data'));
  rows.push(await measure('embedded', service));
});
if (process.env.CAIRN_TEST_MONGODB_URL && process.env.CAIRN_TEST_REDIS_URL)
  rows.push(await withMongoService(({ service }) => measure('MongoDB', service)));
report(`POST /api/v1/lineage, ${connections} connections`, rows);

async function measure(store: string, { url, pid }: ServiceProcess): Promise<Row> {
  await postEvents(url, warmUpSeconds);
  const before = cpuSeconds(pid);
  const { requests, latency, non2xx, errors } = await postEvents(url, seconds);
  const cpu = cpuSeconds(pid) - before;
  if (non2xx > 0 || errors > 0) throw new Error(`${non2xx} refused, ${errors} failed.`);
  return {
    what: `START and COMPLETE of each run, ${store}`,
    'events/s': requests.average,
    'p50 ms': latency.p50,
    'p99 ms': latency.p99,
    'CPU ms each': (cpu / requests.total) * 1_000,
  };
}

async function postEvents(url: string, duration: number) {
  return await autocannon({
    url: `${url}/api/v1/lineage`,
    method: 'POST',
    connections,
    duration,
    headers: { 'content-type': 'application/json' },
    requests: [{ setupRequest: (request) => ({ ...request, body: newEvent() }) }],
  });
}

function newEvent(): string {
  const number = Math.floor(next / 2);
  const isStart = next % 2 === 0;
  next += 1;
  const facet = { _producer: 'https://example.com', _schemaURL: 'https://example.com/facet.json' };
  const fields = ['id', 'customer', 'total', 'paid'].map((name) => ({ name, type: 'int' }));
  const dataset = (name: string) => ({
    namespace: 'postgres://db:5432',
    name,
    facets: { schema: { ...facet, fields } },
  });
  return JSON.stringify({
    eventType: isStart ? 'START' : 'COMPLETE',
    eventTime: new Date(Date.UTC(2026, 0, 1) + next * 1_000).toISOString(),
    producer: 'https://example.com/scheduler',
    schemaURL: 'https://openlineage.io/spec/2-0-2/OpenLineage.json#/$defs/RunEvent',
    run: { runId: `0199b6f2-6f0e-7cc3-9d5f-${String(number).padStart(12, '0')}` },
    job: { namespace: 'airflow', name: `dag.task_${number % 100}` },
    inputs: [dataset(`shop.orders_${(number + 99) % 100}`), dataset('shop.customers')],
    outputs: [dataset(`shop.orders_${number % 100}`)],
  });
}

/** User and system time of a process. */
