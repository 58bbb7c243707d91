import { exampleStatement } from './example-statements.ts';

export const batchSize = 1_000;
/** Concurrent batches. */
export const inFlight = 3;

const graphId = '6f8a2f0e-3a53-4b7e-9d43-000000000001';

type Headers = Readonly<Record<string, string>>;

/**
 * Sends batches of new statements to the processes of a new service, with a fixed concurrency per process.
 * @returns acknowledged statements per second.
 */
export async function ingest(
  urls: readonly [string, ...string[]],
  run: number,
  batches: number,
  more: object = {},
): Promise<number> {
  await registerGraph(urls[0]);
  const bodies = Array.from({ length: batches }, (_, batch) => batchBody(batch, run, more));
  const startedAt = performance.now();
  const sender = async (url: string) => {
    for (let body = bodies.shift(); body !== undefined; body = bodies.shift()) await putBatch(url, body);
  };
  await Promise.all(Array.from({ length: inFlight }, () => urls.map(sender)).flat());
  return ((batches * batchSize) / (performance.now() - startedAt)) * 1_000;
}

/** The graph of all batches. */
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
