import { randomUUID } from 'node:crypto';
import { Queue, QueueEvents, Worker } from 'bullmq';
import { exampleStatement } from './example-statements.ts';
import { report } from './measure.ts';
import { type Servers, withMongoService } from './mongo-service.ts';

// Small exports from request to completion on MongoDB and Redis, compared with empty BullMQ jobs.

const jobs = Number(process.env.JOBS ?? 1_000);
const atOnce = 32;
const statements = 10;

async function inParallel(work: (at: number) => Promise<void>): Promise<void> {
  let next = 0;
  const worker = async () => {
    for (let at = next++; at < jobs; at = next++) await work(at);
  };
  await Promise.all(Array.from({ length: atOnce }, worker));
}

/** Exports per second. */
async function exporting(url: string): Promise<number> {
  const graphId = randomUUID();
  const put = async (path: string, body: unknown) => {
    const headers = { 'content-type': 'application/json' };
    const response = await fetch(url + path, { method: 'PUT', body: JSON.stringify(body), headers });
    if (!response.ok) throw new Error(await response.text());
    await response.arrayBuffer();
  };
  await put('/graph/v1', { graph_id: graphId, name: 'jobs' });
  const some = Array.from({ length: statements }, (_, at) => exampleStatement(at));
  await put('/statements/v1/batch', { statements: some, generate_id: true, graph_id: graphId });
  const startedAt = performance.now();
  await inParallel(async () => {
    const headers = { prefer: 'respond-async, wait=30' };
    const answer = await fetch(`${url}/manifest/v1?graph_ids=${graphId}`, { headers });
    const { state, export_id: id } = (await answer.json()) as { state: string; export_id: string };
    if (state !== 'done') throw new Error(`The export ${id} is ${state} after 30 seconds.`);
  });
  return (jobs / (performance.now() - startedAt)) * 1_000;
}

/** Empty jobs per second, with as many senders, each of which waits for its job. */
async function doingNothing({ environment }: Servers): Promise<number> {
  const connection = { url: environment.CAIRN_REDIS_URL ?? '', maxRetriesPerRequest: null };
  const options = { connection, prefix: `${environment.CAIRN_REDIS_PREFIX}:plain` };
  const queue = new Queue('nothing', options).setMaxListeners(2 * atOnce);
  const events = new QueueEvents('nothing', options);
  const worker = new Worker('nothing', async () => undefined, { ...options, concurrency: 2 });
  await events.waitUntilReady();
  const startedAt = performance.now();
  await inParallel(async (at) => {
    const job = await queue.add('nothing', { at });
    await job.waitUntilFinished(events);
  });
  const rate = (jobs / (performance.now() - startedAt)) * 1_000;
  await worker.close();
  await events.close();
  await queue.close();
  return rate;
}

await withMongoService(async ({ service, ...servers }) => {
  const plain = await doingNothing({ ...servers });
  const exports = await exporting(service.url);
  report(`${jobs} small exports, ${atOnce} at once`, [
    { what: "BullMQ's jobs that do nothing", 'jobs/s': plain, ratio: 1 },
    { what: 'exports, from the request to done', 'jobs/s': exports, ratio: exports / plain },
  ]);
});
