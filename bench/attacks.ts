import { request } from 'node:http';
import { connect, type Socket } from 'node:net';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads';
import { bundledContexts } from '../src/domain/integrity/contexts/bundled.ts';
import { cidOf, codecs } from '../src/domain/integrity/identifiers/cid.ts';
import { exampleStatement } from './example-statements.ts';
import { quantile, type Row, report } from './measure.ts';
import { memory, startService, withFolder } from './service-process.ts';

// Attacks of one caller, and meanwhile the latency of GET /health/v1, the rate of another caller's batches, and memory.
// Callers differ by their loopback address. Name attacks on the command line, or run all.

const attacker = '127.0.0.1';
const neighbour = '127.0.0.2';
const bodyBytes = 33_000_000;
const restMs = 8_000;
/** Attacks are repeated for this time. */
const attackMs = 10_000;

interface Sent {
  readonly status: number;
  readonly text: string;
}

function send(
  url: string,
  [method, path]: readonly [string, string],
  body: Uint8Array | string,
  localAddress: string,
): Promise<Sent> {
  const type = /blob/.test(path) ? 'application/octet-stream' : 'application/json';
  const { promise, resolve } = Promise.withResolvers<Sent>();
  const failed = (error: Error) => resolve({ status: 0, text: error.message });
  const sent = request(`${url}${path}`, {
    method,
    localAddress,
    agent: false,
    headers: { 'content-type': type },
  });
  sent.on('error', failed);
  sent.on('response', (response) => {
    const chunks: Buffer[] = [];
    response.on('data', (chunk) => chunks.push(chunk));
    response.on('error', failed);
    response.on('end', () =>
      resolve({ status: response.statusCode ?? 0, text: Buffer.concat(chunks).toString() }),
    );
  });
  sent.end(body);
  return promise;
}

const health = ['GET', '/health/v1'] as const;
const batch = ['PUT', '/statements/v1/batch'] as const;
const putStatement = ['PUT', '/statements/v1'] as const;
const computeId = ['POST', '/utils/v1/integrity/statement/compute-id'] as const;
const storeJcs = ['PUT', '/store/v1/jcs'] as const;
const storeBlob = ['PUT', '/store/v1/blob'] as const;

/** Repeats `text` until the body has its size. */
function filled(start: string, text: (at: number) => string, end: string, size = bodyBytes): Buffer {
  const parts = [start];
  let length = start.length;
  for (let at = 0; length < size - end.length - 100; at += 1) {
    const part = `${at > 0 ? ',' : ''}${text(at)}`;
    parts.push(part);
    length += part.length;
  }
  return Buffer.from(parts.join('') + end);
}

const poison = {
  '@context': { p: { '@id': 'urn:example:p', '@type': '@id' } },
  '@graph': Array.from({ length: 40 }, (_, from) => ({
    '@id': `_:b${from}`,
    p: Array.from({ length: 40 }, (_, to) => `_:b${to}`),
  })),
};

type Attack = (url: string) => Promise<readonly Sent[]>;

function times(
  count: number,
  call: readonly [string, string],
  body: (at: number) => Uint8Array | string,
): Attack {
  const bodies = Array.from({ length: count }, (_, at) => body(at));
  return (url) => Promise.all(bodies.map((one) => send(url, call, one, attacker)));
}

function contextsAttack(count: number): () => Attack {
  const texts = Array.from({ length: count }, (_, at) =>
    filled('{"@context":{', (term) => `"t${at}x${term}":"urn:example:${term}"`, '}}', 1_000_000),
  );
  const urls = texts.map((text) => `urn:cid:${cidOf(codecs.raw, text).text}`);
  return () => async (url) => {
    for (const text of texts) await send(url, storeBlob, text, attacker);
    const statement = (context: unknown) => JSON.stringify({ statement: { '@context': context, t0x0: 'x' } });
    const each = [];
    for (const one of urls) each.push(await send(url, computeId, statement(one), attacker));
    return [...each, await send(url, computeId, statement(urls), attacker)];
  };
}

const silentMs = 25_000;

/** Sends the beginning of a request, and takes at most the beginning of the answer. */
function fallSilent(url: string, head: string, body = ''): Socket {
  const { hostname: host, port } = new URL(url);
  const socket = connect({ host, port: Number(port), localAddress: attacker });
  socket.on('error', () => undefined);
  socket.write(`${head}\r\nHost: ${host}\r\n\r\n${body}`);
  return socket.pause();
}

async function hold(sockets: readonly Socket[]): Promise<Sent[]> {
  await setTimeout(silentMs);
  const closed = sockets.filter(({ destroyed }) => destroyed).length;
  for (const socket of sockets) socket.destroy();
  return [{ status: 0, text: `${closed} of ${sockets.length} were closed` }];
}

async function readText(url: string, path: string): Promise<string> {
  const { text } = await send(url, storeBlob, 'x'.repeat(bodyBytes), attacker);
  return `GET ${path}/${JSON.parse(text).cid} HTTP/1.1`;
}

const silentClients: Attack = async (url) => {
  const upload = 'PUT /store/v1/blob HTTP/1.1\r\nContent-Length: 1000000';
  const read = await readText(url, '/store/v1/blob');
  const uploads = Array.from({ length: 200 }, () => fallSilent(url, upload, 'x'));
  return await hold([...uploads, ...Array.from({ length: 50 }, () => fallSilent(url, read))]);
};

const halfSent: Attack = async (url) => {
  const size = 30_000_000;
  const type = 'Content-Type: application/json';
  const head = `PUT /statements/v1/batch HTTP/1.1\r\n${type}\r\nContent-Length: ${size}`;
  const half = 'x'.repeat(size / 2);
  return await hold(Array.from({ length: 100 }, () => fallSilent(url, head, half)));
};

const textReaders: Attack = async (url) => {
  const read = await readText(url, '/store/v1/text');
  return await hold(Array.from({ length: 100 }, () => fallSilent(url, read)));
};

const attacks: Readonly<Record<string, () => Attack>> = {
  'compute-id, 33 MB of unknown members': () =>
    times(1, computeId, () => filled('{"statement":{},', (at) => `"m${at}":0`, '}')),
  'compute-id, 33 MB of unknown members, 8 at once': () =>
    times(8, computeId, () => filled('{"statement":{},', (at) => `"m${at}":0`, '}')),
  'jcs, an array of 33 MB': () => times(1, storeJcs, () => filled('[', () => '[]', ']')),
  'jcs, an array of 33 MB, 8 at once': () => times(8, storeJcs, () => filled('[', () => '[]', ']')),
  'jcs, 800,000 strings in 33 MB, 8 at once': () =>
    times(8, storeJcs, () => filled('[', () => `"${'x'.repeat(38)}"`, ']')),
  '64 batches of 33 MB that end in 413': () => {
    const body = Buffer.from(`{"statements":[{"a":"${'x'.repeat(bodyBytes - 100)}"}]}`);
    return times(64, batch, () => body);
  },
  '32 poison graphs': () => times(32, computeId, () => JSON.stringify({ statement: poison })),
  '6 imports of slow statements': () => {
    const body = JSON.stringify({
      version: '3',
      statements: Object.fromEntries(
        Array.from({ length: 100 }, (_, at) => [
          `urn:cid:${cidOf(codecs.rdfc, `${at}`).text}`,
          { ...poison, '@id': `urn:cid:${cidOf(codecs.rdfc, `${at}`).text}` },
        ]),
      ),
    });
    return times(6, ['POST', '/manifest/v1'], () => body);
  },
  '32 statements that name 250 bundled contexts': () => {
    const [url = ''] = [...bundledContexts.keys()].filter((one) => one.includes('credentials/v2'));
    const statement = { '@context': Array(250).fill(url), '@type': 'x', name: 'y' };
    return times(32, putStatement, () => JSON.stringify({ statement, generate_id: true }));
  },
  '60 stored contexts of 1 MB': contextsAttack(60),
  '200 silent uploads and 50 silent readers': () => silentClients,
  '100 half-sent bodies of 30 MB': () => halfSent,
  '100 silent readers of a text of 33 MB': () => textReaders,
};

interface Watched {
  readonly healthMs: readonly number[];
  readonly batches: number;
  readonly refused: number;
  readonly seconds: number;
}

/** Runs in a thread of its own, so that the work of the attacker does not count. */
async function watch(url: string): Promise<void> {
  const healthMs: number[] = [];
  let batches = 0;
  let refused = 0;
  let isOver = false;
  let next = 0;
  const startedAt = performance.now();
  parentPort?.once('message', () => {
    isOver = true;
  });
  const ask = async () => {
    while (!isOver) {
      const askedAt = performance.now();
      await send(url, health, '', neighbour);
      healthMs.push(performance.now() - askedAt);
      await setTimeout(10);
    }
  };
  const store = async () => {
    while (!isOver) {
      const statements = Array.from({ length: 100 }, (_, at) => exampleStatement(next + at, `${startedAt} `));
      next += 100;
      const { status } = await send(url, batch, JSON.stringify({ statements, generate_id: true }), neighbour);
      if (status === 201) batches += 1;
      else refused += 1;
    }
  };
  await Promise.all([ask(), store(), store()]);
  const seconds = (performance.now() - startedAt) / 1_000;
  parentPort?.postMessage({ healthMs, batches, refused, seconds } satisfies Watched);
}

async function during<Result>(url: string, work: () => Promise<Result>): Promise<[Watched, Result]> {
  const worker = new Worker(new URL(import.meta.url), { workerData: url });
  const watched = Promise.withResolvers<Watched>();
  worker.once('message', watched.resolve);
  worker.once('error', watched.reject);
  const result = await work();
  worker.postMessage('over');
  return [await watched.promise, result];
}

async function measure(name: string, attack: Attack): Promise<Row> {
  return await withFolder(async (folder) => {
    await using service = await startService(
      join(folder, 'data'),
      { CAIRN_ALLOW_UNAUTHENTICATED: 'true' },
      'integrity',
    );
    await during(service.url, () => setTimeout(2_000));
    const [rest] = await during(service.url, () => setTimeout(restMs));
    const [under, sent] = await during(service.url, async () => {
      const startedAt = performance.now();
      const answers: Sent[] = [];
      while (performance.now() - startedAt < attackMs) answers.push(...(await attack(service.url)));
      return answers;
    });
    const counts = Object.entries(Object.groupBy(sent, ({ status }) => String(status)));
    return {
      what: name,
      answers: counts.map(([status, some]) => `${some?.length} × ${status}`).join(', '),
      'attack s': under.seconds,
      'health p99 at rest ms': quantile(rest.healthMs, 0.99),
      'health p99 ms': quantile(under.healthMs, 0.99),
      'health max ms': Math.max(...under.healthMs),
      'others, batches/s': under.batches / under.seconds,
      'share of the rate at rest': under.batches / under.seconds / (rest.batches / rest.seconds),
      'others refused': under.refused,
      'largest answer, kB': Math.max(...sent.map(({ text }) => text.length)) / 1_000,
      'peak MiB': (await memory(service.pid)).peak,
    };
  });
}

if (isMainThread) {
  const asked = process.argv.slice(2);
  const chosen = Object.keys(attacks).filter(
    (name) => asked.length === 0 || asked.some((part) => name.includes(part)),
  );
  const rows: Row[] = [];
  for (const name of chosen) {
    const row = await measure(name, (attacks[name] as () => Attack)());
    console.error(JSON.stringify(row));
    rows.push(row);
  }
  report('One caller attacks', rows);
} else {
  await watch(workerData);
}
