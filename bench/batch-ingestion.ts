import { exampleStatement } from './example-statements.ts';

export const batchSize = 1_000;
/** Concurrent batches. */
export const inFlight = 3;
/** After these, V8 has compiled most of what batches need. */
const warmUpBatches = 20;
export const partSize = 100_000;

/** The graph of all batches. */
export const graphId = '6f8a2f0e-3a53-4b7e-9d43-000000000001';

type Headers = Readonly<Record<string, string>>;

/**
 * Sends batches of new statements to the processes of a new service, after others that warm it up.
 * @returns acknowledged statements per second.
 */
export async function ingest(
  urls: readonly [string, ...string[]],
  run: number,
  batches: number,
  more: object = {},
): Promise<number> {
  await registerGraph(urls[0]);
  const makeBody = (_: unknown, batch: number) => batchBody(batch, run, more);
  const bodies = Array.from({ length: warmUpBatches + batches }, makeBody);
  await sendBatches(urls, bodies.splice(0, warmUpBatches));
  return await sendBatches(urls, bodies);
}

/** Acknowledged statements per second: of each part of 100,000, and of all. */
export interface PartRates {
  readonly parts: readonly number[];
  readonly all: number;
}

/** Sends many statements to a new service. Bodies are made before the time of their part, and the first ones warm it up. */
export async function ingestParts(url: string, statements: number): Promise<PartRates> {
  await registerGraph(url);
  const parts: number[] = [];
  let [seconds, measured] = [0, 0];
  for (let first = 0; first < statements; first += partSize) {
    const batches = Math.min(partSize, statements - first) / batchSize;
    const makeBody = (_: unknown, batch: number) => batchBody(first / batchSize + batch, 0);
    const bodies = Array.from({ length: batches }, makeBody);
    if (first === 0) await sendBatches([url], bodies.splice(0, Math.min(warmUpBatches, batches / 2)));
    const rate = await sendBatches([url], bodies);
    parts.push(rate);
    measured += bodies.length * batchSize;
    seconds += (bodies.length * batchSize) / rate;
  }
  return { parts, all: measured / seconds };
}

/** Sends batches with a fixed concurrency per process. @returns acknowledged statements per second. */
export async function sendBatches(
  urls: readonly string[],
  bodies: readonly string[],
  atOnce = inFlight,
): Promise<number> {
  const waiting = bodies.values();
  const sender = async (url: string) => {
    for (const body of waiting) await putBatch(url, body);
  };
  const startedAt = performance.now();
  await Promise.all(Array.from({ length: atOnce }, () => urls.map(sender)).flat());
  return ((bodies.length * batchSize) / (performance.now() - startedAt)) * 1_000;
}

export async function registerGraph(url: string, headers: Headers = {}): Promise<void> {
  await put(`${url}/graph/v1`, JSON.stringify({ graph_id: graphId, name: 'ingest' }), headers);
}

export async function putBatch(url: string, body: string, headers: Headers = {}): Promise<void> {
  await put(`${url}/statements/v1/batch`, body, headers);
}

/** Deterministic. @param more members of the request beside the usual ones. */
export function batchBody(batch: number, run: number, more: object = {}): string {
  const statements = Array.from({ length: batchSize }, (_, at) =>
    exampleStatement(batch * batchSize + at, `run ${run} `),
  );
  return JSON.stringify({ statements, generate_id: true, graph_id: graphId, ...more });
}

async function put(url: string, body: string, headers: Headers): Promise<void> {
  const response = await fetch(url, {
    method: 'PUT',
    body,
    headers: { 'content-type': 'application/json', ...headers },
  });
  if (!response.ok) throw new Error(await response.text());
  await response.arrayBuffer();
}
