import { spawnSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import pMap from 'p-map';
import { cidOf, codecs } from '../src/domain/integrity/identifiers/cid.ts';
import { exampleStatement } from './example-statements.ts';
import { type Servers, withServers } from './mongo-service.ts';
import { type ServiceProcess, startService } from './service-process.ts';
import { TcpProxy } from './tcp-proxy.ts';

// Three processes on one MongoDB and one Redis, under load; one of them at a time is ended as by a power cut, and
// started again; now and then all of them lose the connections to one of the servers. Then everything that was
// acknowledged is looked for. ROUNDS=200 is the full run.

const rounds = Number(process.env.ROUNDS ?? 20);
const replicas = 3;
const cutEvery = 5;
const batchSize = 50;
const lookedForAtOnce = 16;
const graphId = randomUUID();
/** A small one that does not grow, so that many exports of it end in the time of the run. */
const exportedGraphId = randomUUID();
const exportedSize = 200;
const main = fileURLToPath(new URL('../src/main.ts', import.meta.url));

/** What the services have said that they have. */
const statements = new Set<string>();
const blobs = new Set<string>();
const exports: string[] = [];
let isOver = false;

type Replicas = (ServiceProcess | undefined)[];

/** Any process that runs. */
function anyOf(running: Replicas): ServiceProcess | undefined {
  const living = running.filter((service) => service !== undefined);
  return living[Math.floor(Math.random() * living.length)];
}

/** Sends the same request to one process after another until one of them answers. */
async function sent(running: Replicas, path: string, init: RequestInit): Promise<Response> {
  for (;;) {
    const url = anyOf(running)?.url;
    const response = url && (await fetch(url + path, init).catch(() => undefined));
    if (response && response.status < 500) {
      const text = await response.text().catch(() => undefined);
      if (text === undefined) continue;
      if (!response.ok) throw new Error(text);
      return new Response(text || null, response);
    }
    await delay(20);
  }
}

async function putJson(running: Replicas, path: string, body: object): Promise<Response> {
  const headers = { 'content-type': 'application/json' };
  return sent(running, path, { method: 'PUT', body: JSON.stringify(body), headers });
}

async function putBatch(
  running: Replicas,
  graph: string,
  made: readonly ReturnType<typeof exampleStatement>[],
): Promise<void> {
  const body = { statements: made, generate_id: true, graph_id: graph };
  const response = await putJson(running, '/statements/v1/batch', body);
  const { results } = (await response.json()) as { results: { statement_id: string }[] };
  for (const { statement_id } of results) statements.add(statement_id);
}

function examples(count: number, first: number, prefix: string) {
  return Array.from({ length: count }, (_, at) => exampleStatement(first + at, prefix));
}

async function putStatements(running: Replicas, sender: number): Promise<void> {
  for (let batch = 0; !isOver; batch += 1)
    await putBatch(running, graphId, examples(batchSize, batch * batchSize, `sender ${sender}: `));
}

async function putBlobs(running: Replicas): Promise<void> {
  for (let at = 0; !isOver; at += 1) {
    const text = `${at} `.repeat(100_000);
    const headers = { 'content-type': 'application/octet-stream' };
    await sent(running, '/store/v1/blob', { method: 'PUT', body: text, headers });
    blobs.add(cidOf(codecs.raw, text).text);
    await delay(100);
  }
}

async function exportGraph(running: Replicas): Promise<void> {
  while (!isOver) {
    const headers = { prefer: 'respond-async' };
    const response = await sent(running, `/manifest/v1?graph_ids=${exportedGraphId}`, { headers });
    exports.push(String(response.headers.get('location')));
    await delay(500);
  }
}

/** Takes a server away for a moment. */
async function cut(proxies: readonly TcpProxy[]): Promise<void> {
  const proxy = proxies[Math.floor(Math.random() * proxies.length)];
  await proxy?.cut();
  await delay(Math.random() * 1_500);
  await proxy?.restore();
}

async function killInTurn(
  running: Replicas,
  proxies: readonly TcpProxy[],
  start: (at: number) => Promise<ServiceProcess>,
): Promise<void> {
  for (let round = 1; round <= rounds; round += 1) {
    await delay(300 + Math.random() * 1_000);
    if (round % cutEvery === 0) await cut(proxies);
    const at = Math.floor(Math.random() * replicas);
    const victim = running[at];
    running[at] = undefined;
    await victim?.kill();
    running[at] = await start(at);
    console.log(
      `round ${round}: ${statements.size} statements, ${blobs.size} blobs, ${exports.length} exports acknowledged`,
    );
  }
  isOver = true;
}

async function problems({ url }: ServiceProcess, { db }: Servers): Promise<string[]> {
  const found: string[] = [];
  const lookForStatement = async (id: string) => {
    const response = await fetch(`${url}/statements/v1/id/${id}`);
    const isThere = response.ok && ((await response.json()) as { '@id': string })['@id'] === id;
    if (!isThere) found.push(`The statement ${id} is lost.`);
  };
  await pMap(statements, lookForStatement, { concurrency: lookedForAtOnce });
  const lookForBlob = async (cid: string) => {
    const response = await fetch(`${url}/store/v1/blob/${cid}`);
    if (cidOf(codecs.raw, await response.text()).text !== cid) found.push(`The blob ${cid} is lost.`);
  };
  await pMap(blobs, lookForBlob, { concurrency: lookedForAtOnce });
  for (const path of exports) found.push(...(await exportProblems(url, path)));
  // There may be one more than was acknowledged for each answer that was lost.
  const done = await db.collection('jobs').countDocuments({ state: 'done' });
  const results = await db.collection('exports.files').countDocuments({ filename: { $not: /^uploading:/ } });
  if (results !== done) found.push(`${done} exports have ${results} results.`);
  return found;
}

async function exportProblems(url: string, path: string): Promise<string[]> {
  const until = performance.now() + 180_000;
  for (;;) {
    const state = (await (await fetch(url + path)).json()) as { state: string; error: unknown };
    if (state.state === 'done') return [];
    if (state.state === 'failed' || performance.now() > until)
      return [`The export ${path} is ${state.state}: ${JSON.stringify(state.error)}`];
    await delay(100);
  }
}

/** What fsck finds in the store that the processes have left. */
function checked({ folder, environment }: Servers): string[] {
  const env = { ...process.env, ...environment, CAIRN_DATA_DIR: join(folder, 'fsck') };
  const { status, stdout } = spawnSync(process.execPath, [main, 'fsck'], { env, encoding: 'utf8' });
  process.stdout.write(stdout);
  return status === 0 ? [] : [`fsck ends with ${status}.`];
}

const count = await withServers(async (servers) => {
  const { CAIRN_MONGODB_URL: mongodbUrl = '', CAIRN_REDIS_URL: redisUrl = '' } = servers.environment;
  await using mongodb = await TcpProxy.before(mongodbUrl);
  await using redis = await TcpProxy.before(redisUrl);
  const environment = {
    ...servers.environment,
    CAIRN_MONGODB_URL: mongodb.url(mongodbUrl),
    CAIRN_REDIS_URL: redis.url(redisUrl),
  };
  const start = (at: number) => startService(join(servers.folder, `data ${at}`), environment);
  const running: Replicas = [];
  for (let at = 0; at < replicas; at += 1) running.push(await start(at));
  await putJson(running, '/graph/v1', { graph_id: graphId, name: 'replicas' });
  await putJson(running, '/graph/v1', { graph_id: exportedGraphId, name: 'exported' });
  await putBatch(running, exportedGraphId, examples(exportedSize, 0, 'exported: '));
  await Promise.all([
    putStatements(running, 1),
    putStatements(running, 2),
    putBlobs(running),
    exportGraph(running),
    killInTurn(running, [mongodb, redis], start),
  ]);
  const [one] = running;
  if (!one) throw new Error('No process runs.');
  const found = await problems(one, servers);
  for (const service of running) await service?.[Symbol.asyncDispose]();
  found.push(...checked(servers));
  for (const problem of found.slice(0, 20)) console.log(problem);
  console.log(
    `${rounds} kills; ${statements.size} statements, ${blobs.size} blobs and ${exports.length} exports acknowledged; ${found.length} faults.`,
  );
  return found.length;
});
process.exitCode = count === 0 ? 0 : 1;
