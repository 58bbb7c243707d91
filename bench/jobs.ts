import { randomUUID } from 'node:crypto';
import { Queue, QueueEvents, Worker } from 'bullmq';
import { exampleStatement } from './example-statements.ts';
import { report } from './measure.ts';
import { type Servers, withMongoService } from './mongo-service.ts';

// Small exports from request to completion on MongoDB and Redis, of one graph and of different ones, compared with empty
// BullMQ jobs. Equal requests that arrive together share an export.

const jobs = Number(process.env.JOBS ?? 1_000);
const atOnce = 32;
const statements = 10;

/** Each of the senders waits for its work before it sends more. @returns works per second. */
async function inParallel(work: (at: number, sender: number) => Promise<void>): Promise<number> {
  let next = 0;
  const startedAt = performance.now();
  const send = async (_: unknown, sender: number) => {
    for (let at = next++; at < jobs; at = next++) await work(at, sender);
  };
  await Promise.all(Array.from({ length: atOnce }, send));
  return (jobs / (performance.now() - startedAt)) * 1_000;
}

async function newGraph(url: string): Promise<string> {
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
  return graphId;
}

/** Exports per second, where each sender exports one of the graphs. */
async function exporting(url: string, graphs: readonly string[]): Promise<number> {
  return await inParallel(async (_, sender) => {
    const graphId = graphs[sender % graphs.length];
    const headers = { prefer: 'respond-async, wait=30' };
    const answer = await fetch(`${url}/manifest/v1?graph_ids=${graphId}`, { headers });
    const { state, export_id: id } = (await answer.json()) as { state: string; export_id: string };
    if (state !== 'done') throw new Error(`The export ${id} is ${state} after 30 seconds.`);
  });
}

/** Empty jobs per second, with as many senders, each of which waits for its job. */
async function doingNothing({ environment }: Servers): Promise<number> {
  const connection = { url: environment.CAIRN_REDIS_URL ?? '', maxRetriesPerRequest: null };
  const options = { connection, prefix: `${environment.CAIRN_REDIS_PREFIX}:plain` };
  const queue = new Queue('nothing', options).setMaxListeners(2 * atOnce);
  const events = new QueueEvents('nothing', options);
  const worker = new Worker('nothing', async () => undefined, { ...options, concurrency: 2 });
  await events.waitUntilReady();
  const rate = await inParallel(async (at) => {
    const job = await queue.add('nothing', { at });
    await job.waitUntilFinished(events);
  });
  await worker.close();
  await events.close();
  await queue.close();
  return rate;
}

await withMongoService(async ({ service, ...servers }) => {
  const plain = await doingNothing({ ...servers });
  const graphs = await Promise.all(Array.from({ length: atOnce }, () => newGraph(service.url)));
  const ofOne = await exporting(service.url, graphs.slice(0, 1));
  const ofDifferent = await exporting(service.url, graphs);
  report(`${jobs} small exports, ${atOnce} at once`, [
    { what: "BullMQ's jobs that do nothing", 'jobs/s': plain, ratio: 1 },
    { what: 'exports of one graph, from the request to done', 'jobs/s': ofOne, ratio: ofOne / plain },
    { what: 'exports of different graphs', 'jobs/s': ofDifferent, ratio: ofDifferent / plain },
  ]);
});
