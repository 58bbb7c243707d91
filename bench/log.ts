import { execFile, execFileSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import { parseCid } from '../src/domain/integrity/identifiers/cid.ts';
import { CheckpointChecks } from '../src/domain/log/checkpoint-checks.ts';
import { noWitnesses } from '../src/domain/log/notes/policy.ts';
import { parseVkey } from '../src/domain/log/notes/vkey.ts';
import { verifyReceipt } from '../src/domain/log/receipt.ts';
import { batchBody, batchSize, graphId, ingest, putBatch, sendBatches } from './batch-ingestion.ts';
import { exampleStatement } from './example-statements.ts';
import { freePort } from './free-port.ts';
import { median, quantile, type Row, report } from './measure.ts';
import { startServer } from './peers/server.ts';
import { type ServiceProcess, startService, withFolder } from './service-process.ts';

// Statements that a published checkpoint covers, per second, beside the entries of Tessera (POSIX storage, one entry with each
// HTTP request) on the same disk; what the logs cost ingestion, beside the service of an older checkout (OLDER=its folder);
// how long a statement waits for its checkpoint; receipts; bytes on disk.

const batches = Number(process.env.STATEMENTS ?? 20_000) / batchSize;
const graphs = Number(process.env.GRAPHS ?? 1_000);
const rounds = Number(process.env.ROUNDS ?? 3);
const samples = 200;
const receiptsVerified = 10_000;
const goTools = process.env.CAIRN_TEST_GO_TOOLS ?? join(homedir(), '.cache/cairn-go-tools');

const settings = { CAIRN_PUBLIC_LOG: 'true' };

async function sizeOf(url: string, log: string): Promise<number> {
  const answer = await fetch(`${url}/log/v1/${log}checkpoint`);
  return answer.ok ? Number((await answer.text()).split('\n')[1]) : 0;
}

/** Resolves when a published checkpoint has so many statements of a graph. */
async function covered(url: string, graph: string, size: number): Promise<void> {
  while ((await sizeOf(url, `graphs/${graph}/`)) < size) await delay(5);
}

/** Statements per second that are acknowledged, and that a checkpoint covers. */
async function ours({ url }: ServiceProcess, round: number): Promise<{ stored: number; covered: number }> {
  await ingest([url], round, 1);
  const before = await stored(url);
  await covered(url, graphId, before);
  const bodies = Array.from({ length: batches }, (_, at) => batchBody(1_000 + at, round));
  const startedAt = performance.now();
  const rate = await sendBatches([url], bodies);
  await covered(url, graphId, before + batches * batchSize);
  return { stored: rate, covered: ((batches * batchSize) / (performance.now() - startedAt)) * 1_000 };
}

/** The statements of the graph after the warm-up, each once. */
async function stored(url: string): Promise<number> {
  for (let [last, size] = [-1, 0]; ; last = size) {
    size = await sizeOf(url, `graphs/${graphId}/`);
    if (size > 0 && size === last) return size;
    await delay(2_500);
  }
}

async function tessera(folder: string): Promise<number> {
  mkdirSync(folder);
  const [interop, key, port] = [join(goTools, 'interop'), join(folder, 'key'), await freePort()];
  writeFileSync(key, execFileSync(interop, ['key', 'tessera.example']).toString().split('\n')[0] ?? '');
  const parameters = [
    '--storage_dir',
    join(folder, 'log'),
    '--listen',
    `127.0.0.1:${port}`,
    '--private_key',
    key,
  ];
  await using _ = await startServer(join(goTools, 'posix'), parameters, port);
  const load = ['load', `http://127.0.0.1:${port}`, String(batches * batchSize), '1024'];
  return Number((await promisify(execFile)(interop, load)).stdout);
}

/** Milliseconds from the acknowledgement of a statement to the checkpoint that covers it, one statement after the other. */
async function untilPublished({ url }: ServiceProcess): Promise<number[]> {
  const waits: number[] = [];
  const graph = randomUUID();
  await put(`${url}/graph/v1`, { graph_id: graph, name: 'waits' });
  for (let size = 1; size <= samples; size += 1) {
    await putBatch(url, body(graph, [exampleStatement(5_000_000 + size)]));
    const storedAt = performance.now();
    await covered(url, graph, size);
    waits.push(performance.now() - storedAt);
  }
  return waits;
}

function body(graph_id: string, statements: readonly unknown[]): string {
  return JSON.stringify({ statements, graph_id, generate_id: true });
}

async function put(url: string, value: unknown): Promise<void> {
  const headers = { 'content-type': 'application/json' };
  const answer = await fetch(url, { method: 'PUT', headers, body: JSON.stringify(value) });
  if (!answer.ok) throw new Error(await answer.text());
}

/** Ten statements in each of many graphs. */
async function fillGraphs({ url }: ServiceProcess): Promise<string[]> {
  const ids = Array.from({ length: graphs }, () => randomUUID());
  const waiting = ids.entries();
  const fill = async () => {
    for (const [at, id] of waiting) {
      await put(`${url}/graph/v1`, { graph_id: id, name: `graph ${at}` });
      const ten = Array.from({ length: 10 }, (_, each) => exampleStatement(10_000_000 + at * 10 + each));
      await putBatch(url, body(id, ten));
    }
  };
  await Promise.all([fill(), fill(), fill(), fill()]);
  for (const id of ids) await covered(url, id, 10);
  return ids;
}

interface Logged {
  readonly receipt: string;
  readonly id: string;
  readonly jcsCid: string;
}

/** Reads receipts of some statements of each graph, one after the other. @returns how many milliseconds each took. */
async function readReceipts({ url }: ServiceProcess, ids: readonly string[], each: number) {
  const [waits, logged]: [number[], Logged[]] = [[], []];
  for (const id of ids) {
    const list = await fetch(`${url}/statements/v1?graph_id=${id}&limit=${each}`);
    const page = (await list.json()) as { statements: { id: string; jcs_cid: string }[] };
    for (const statement of page.statements) {
      const cid = parseCid(statement.id).text;
      const startedAt = performance.now();
      const answer = await fetch(`${url}/log/v1/proof/${cid}?graph_id=${id}`);
      const receipt = await answer.text();
      waits.push(performance.now() - startedAt);
      if (!answer.ok) throw new Error(receipt);
      logged.push({ receipt, id: statement.id, jcsCid: statement.jcs_cid });
    }
  }
  return { waits, logged };
}

async function verifyAll({ url }: ServiceProcess, logged: readonly Logged[]): Promise<number> {
  const logs = (await (await fetch(`${url}/log/v1/key`)).text()).trim().split('\n').map(parseVkey);
  const checks = new CheckpointChecks({ logs, policy: noWitnesses });
  const startedAt = performance.now();
  for (let at = 0; at < receiptsVerified; at += 1) {
    const { receipt, id, jcsCid } = logged[at % logged.length] as Logged;
    const digests = { rdfcDigest: parseCid(id).digest, jcsDigest: parseCid(jcsCid).digest };
    verifyReceipt(receipt, digests, checks);
  }
  return performance.now() - startedAt;
}

/** Bytes of the tables and indexes of the logs, for each statement. */
function bytesOnDisk(dataDir: string, log: string): number {
  using database = new DatabaseSync(join(dataDir, 'cairn.db'), { readOnly: true });
  const { bytes } =
    database
      .prepare(
        "SELECT sum(pgsize) AS bytes FROM dbstat WHERE name LIKE 'log%' OR name LIKE 'unlogged%' OR name LIKE 'sqlite_autoindex_log%'",
      )
      .get() ?? {};
  const { size } =
    database.prepare("SELECT sum(record ->> 'size') AS size FROM logs WHERE name LIKE ?").get(log) ?? {};
  return Number(bytes) / Number(size);
}

/** Per second. NaN for what was not measured. */
interface Rates {
  readonly stored: number;
  readonly covered: number;
  readonly tessera: number;
  readonly older: number;
}

const rates: Rates[] = [];
const rows: Row[] = [];
for (let round = 0; round < rounds; round += 1)
  await withFolder(async (folder) => {
    await using service = await startService(join(folder, 'data'), settings);
    const own = await ours(service, round);
    const theirs = existsSync(join(goTools, 'posix')) ? await tessera(join(folder, 'tessera')) : Number.NaN;
    let older = Number.NaN;
    if (process.env.OLDER) {
      const program = join(process.env.OLDER, 'src/main.ts');
      await using before = await startService(join(folder, 'older'), {}, 'all', program);
      older = await ingest([before.url], round, batches);
    }
    rates.push({ ...own, tessera: theirs, older });
    console.error(`Round ${round + 1}: ${JSON.stringify(rates.at(-1))}`);
    if (round > 0) return;
    rows.push({
      what: 'log on disk, for each statement of one graph',
      bytes: bytesOnDisk(service.dataDir, 'graphs/%'),
    });
    const waits = await untilPublished(service);
    rows.push({ what: 'stored until published, p99', ms: quantile(waits, 0.99) });
    const one = await readReceipts(service, [graphId], 1_000);
    rows.push({
      what: `receipt, ${batches * batchSize} statements in one graph, p99`,
      ms: quantile(one.waits, 0.99),
    });
    rows.push({ what: `${receiptsVerified} receipts verified`, ms: await verifyAll(service, one.logged) });
    const many = await readReceipts(service, await fillGraphs(service), 1);
    rows.push({ what: `receipt, ${graphs} graphs of ten, p99`, ms: quantile(many.waits, 0.99) });
  });
const middle = (of: (rate: Rates) => number) => median(rates.map(of));
const covers: Row = {
  what: 'Cairn, statements in a checkpoint',
  'per second': middle((rate) => rate.covered),
};
const stores: Row = { what: 'ingestion with logs', 'per second': middle((rate) => rate.stored) };
report('Logs', [
  ...besides(
    covers,
    'Tessera, entries in a checkpoint',
    ({ tessera }) => tessera,
    ({ covered }) => covered,
  ),
  ...besides(
    stores,
    'ingestion without logs',
    ({ older }) => older,
    ({ stored }) => stored,
  ),
  ...rows,
]);

/** A row beside what it is compared with, if that was measured. */
function besides(
  own: Row,
  what: string,
  other: (rate: Rates) => number,
  ours: (rate: Rates) => number,
): Row[] {
  const theirs = middle(other);
  if (Number.isNaN(theirs)) return [own];
  const ratio = middle((rate) => ours(rate) / other(rate));
  return [
    { what, 'per second': theirs, ratio: 1 },
    { ...own, ratio },
  ];
}
