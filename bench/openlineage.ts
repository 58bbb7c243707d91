import { join } from 'node:path';
import autocannon from 'autocannon';
import { cpuSeconds, type Row, report } from './measure.ts';
import { withMongoService } from './mongo-service.ts';
import { type ServiceProcess, startService, withFolder } from './service-process.ts';

// POST /api/v1/lineage over 32 connections. Each task has a START and a COMPLETE event. It reads what the task before it has
// written, and a table that none has written.

const connections = 32;
const seconds = Number(process.env.SECONDS_EACH ?? 8);
const warmUpSeconds = 10;
const pipelines = 100;
const tasks = 5;
let [events, runs, pipelineRuns] = [0, 0, 0];

type Setup = NonNullable<autocannon.Request['setupRequest']>;

const cases: Readonly<Record<string, readonly Setup[]>> = {
  // As schedulers do: a task starts when the one before it has ended. Each connection has a pipeline of its own.
  'tasks one after the other': Array.from({ length: tasks * 2 }, (_, at) => eventOfPipeline(at)),
  // As when stored events are sent again: a task may end before the one whose table it reads, and is then made again.
  'dependent tasks at the same time': [eventOfAll],
};

const rows: Row[] = [];
for (const [what, setups] of Object.entries(cases)) {
  await withFolder(async (folder) => {
    await using service = await startService(join(folder, 'data'));
    rows.push(await measure(`${what}, embedded`, setups, service));
  });
  if (process.env.CAIRN_TEST_MONGODB_URL && process.env.CAIRN_TEST_REDIS_URL)
    rows.push(await withMongoService(({ service }) => measure(`${what}, MongoDB`, setups, service)));
}
report(`POST /api/v1/lineage, ${connections} connections`, rows);

async function measure(what: string, setups: readonly Setup[], { url, pid }: ServiceProcess): Promise<Row> {
  await postEvents(url, setups, warmUpSeconds);
  const before = cpuSeconds(pid);
  const { requests, latency, non2xx, errors } = await postEvents(url, setups, seconds);
  const cpu = cpuSeconds(pid) - before;
  if (non2xx > 0 || errors > 0) throw new Error(`${non2xx} refused, ${errors} failed.`);
  return {
    what,
    'events/s': requests.average,
    'p50 ms': latency.p50,
    'p99 ms': latency.p99,
    'CPU ms each': (cpu / requests.total) * 1_000,
  };
}

async function postEvents(url: string, setups: readonly Setup[], duration: number) {
  return await autocannon({
    url: `${url}/api/v1/lineage`,
    method: 'POST',
    connections,
    duration,
    headers: { 'content-type': 'application/json' },
    requests: setups.map((setupRequest) => ({ setupRequest })),
  });
}

/** @param at the number of the event in a run of a pipeline. */
function eventOfPipeline(at: number): Setup {
  const task = Math.floor(at / 2);
  const isStart = at % 2 === 0;
  return (request, context: { pipeline?: number; run?: number } = {}) => {
    if (at === 0) context.pipeline = pipelineRuns++ % pipelines;
    if (isStart) context.run = runs++;
    const pipeline = `pipeline_${context.pipeline}`;
    const read = task === 0 ? 'orders' : `${pipeline}_${task - 1}`;
    const names = { job: `${pipeline}.task_${task}`, read, written: `${pipeline}_${task}` };
    return { ...request, body: event(isStart, context.run ?? 0, names) };
  };
}

function eventOfAll(request: autocannon.Request): autocannon.Request {
  const isStart = events % 2 === 0;
  const run = isStart ? runs++ : runs - 1;
  const names = {
    job: `dag.task_${run % 100}`,
    read: `orders_${(run + 99) % 100}`,
    written: `orders_${run % 100}`,
  };
  return { ...request, body: event(isStart, run, names) };
}

interface Names {
  readonly job: string;
  readonly read: string;
  readonly written: string;
}

function event(isStart: boolean, run: number, { job, read, written }: Names): string {
  events += 1;
  const facet = { _producer: 'https://example.com', _schemaURL: 'https://example.com/facet.json' };
  const fields = ['id', 'customer', 'total', 'paid'].map((name) => ({ name, type: 'int' }));
  const dataset = (name: string) => ({
    namespace: 'postgres://db:5432',
    name: `shop.${name}`,
    facets: { schema: { ...facet, fields } },
  });
  return JSON.stringify({
    eventType: isStart ? 'START' : 'COMPLETE',
    eventTime: new Date(Date.UTC(2026, 0, 1) + events * 1_000).toISOString(),
    producer: 'https://example.com/scheduler',
    schemaURL: 'https://openlineage.io/spec/2-0-2/OpenLineage.json#/$defs/RunEvent',
    run: { runId: `0199b6f2-6f0e-7cc3-9d5f-${String(run).padStart(12, '0')}` },
    job: { namespace: 'airflow', name: job },
    inputs: [dataset(read), dataset('customers')],
    outputs: [dataset(written)],
  });
}
