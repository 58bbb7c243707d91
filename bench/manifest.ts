import { createWriteStream } from 'node:fs';
import { open, readFile, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { exampleStatement } from './example-statements.ts';
import { report } from './measure.ts';
import { type ServiceProcess, startService, withFolder } from './service-process.ts';

// Export and import of one graph over HTTP, compared with ingestion of the same statements in batches.
// The full run: STATEMENTS=1000000.

const statements = Number(process.env.STATEMENTS ?? 100_000);
const batchSize = 1_000;
const inFlight = 3;
const graphId = '6f8a2f0e-3a53-4b7e-9d43-000000000002';
const car = 'application/vnd.ipld.car';

interface Outcome {
  readonly rate: number;
  /** Peak anonymous memory of the service, in MiB. */
  readonly peak: number;
}

const lookMs = 50;

/**
 * Samples the memory of a process that the kernel cannot drop (Linux, RssAnon). It excludes the pages of the
 * database file, which SQLite maps and the kernel can drop.
 */
class PeakMemory implements Disposable {
  readonly #pid: number;
  readonly #timer: NodeJS.Timeout;
  mib = 0;

  constructor({ pid }: ServiceProcess) {
    this.#pid = pid;
    this.#timer = setInterval(() => void this.look(), lookMs);
  }

  async look(): Promise<void> {
    const status = await readFile(`/proc/${this.#pid}/status`, 'utf8');
    this.mib = Math.max(this.mib, Number(/RssAnon:\s+(\d+) kB/.exec(status)?.[1]) / 1_024);
  }

  [Symbol.dispose](): void {
    clearInterval(this.#timer);
  }
}

/** Runs work on a service. @returns statements per second. */
async function measured(
  dataDir: string,
  prepare: (service: ServiceProcess) => Promise<unknown>,
  work: (service: ServiceProcess) => Promise<unknown>,
): Promise<Outcome> {
  await using service = await startService(dataDir);
  await prepare(service);
  using memory = new PeakMemory(service);
  const startedAt = performance.now();
  await work(service);
  const rate = (statements / (performance.now() - startedAt)) * 1_000;
  await memory.look();
  return { rate, peak: memory.mib };
}

async function nothing(): Promise<void> {}

async function put(url: string, path: string, body: unknown): Promise<void> {
  const headers = { 'content-type': 'application/json' };
  const response = await fetch(url + path, { method: 'PUT', body: JSON.stringify(body), headers });
  if (!response.ok) throw new Error(await response.text());
  await response.arrayBuffer();
}

async function ingest({ url }: ServiceProcess): Promise<void> {
  let next = 0;
  const sender = async () => {
    for (let first = next; first < statements; first = next) {
      next += batchSize;
      const size = Math.min(batchSize, statements - first);
      const batch = Array.from({ length: size }, (_, at) => exampleStatement(first + at));
      await put(url, '/statements/v1/batch', { statements: batch, generate_id: true, graph_id: graphId });
    }
  };
  await Promise.all(Array.from({ length: inFlight }, sender));
}

/** From the request to the last byte in a file. */
async function exportTo(url: string, file: string, query: string, accept: string): Promise<void> {
  const response = await fetch(`${url}/manifest/v1?graph_ids=${graphId}&${query}`, { headers: { accept } });
  if (!response.ok || !response.body) throw new Error(await response.text());
  await pipeline(Readable.fromWeb(response.body), createWriteStream(file));
}

/** From the first byte to the answer. */
async function importFrom(url: string, file: string, type: string): Promise<void> {
  await using source = await open(file);
  const response = await fetch(`${url}/manifest/v1?graph_id=${graphId}`, {
    method: 'POST',
    headers: { 'content-type': type },
    body: source.createReadStream({ highWaterMark: 1 << 18, autoClose: false }),
    duplex: 'half',
  } as RequestInit);
  if (response.status !== 201) throw new Error(await response.text());
  await response.arrayBuffer();
}

await withFolder(async (folder) => {
  const place = (name: string) => join(folder, name);
  const [data, json] = [place('data'), 'application/json'];
  const register = ({ url }: ServiceProcess) =>
    put(url, '/graph/v1', { graph_id: graphId, name: 'manifest' });
  const exporting = (name: string, query: string, accept: string) =>
    measured(data, nothing, ({ url }) => exportTo(url, place(name), query, accept));
  const importing = async (name: string, type: string) => {
    const outcome = await measured(place('other'), nothing, ({ url }) => importFrom(url, place(name), type));
    await rm(place('other'), { recursive: true });
    return outcome;
  };
  const [bare, everything] = ['include_context=true', 'include_context=true&include_blobs=true'];
  const rest = await measured(place('rest'), nothing, nothing);
  const ingestion = await measured(data, register, ingest);
  const outcomes: [what: string, outcome: Outcome, file?: string][] = [
    ['batch ingestion', ingestion],
    ['export, JSON', await exporting('bare.json', bare, json), 'bare.json'],
    ['export, JSON, looking for blobs', await exporting('all.json', everything, json), 'all.json'],
    ['export, CAR, looking for blobs', await exporting('all.car', everything, car), 'all.car'],
    ['import, JSON', await importing('bare.json', json)],
  ];
  const isSmallEnough = (await stat(place('all.car'))).size <= 1 << 30;
  if (isSmallEnough) outcomes.push(['import, CAR', await importing('all.car', car)]);
  const rows = await Promise.all(
    outcomes.map(async ([what, { rate, peak }, file]) => ({
      what,
      'statements/s': rate,
      'of ingestion': rate / ingestion.rate,
      'memory, MiB': peak,
      'file, MiB': file ? (await stat(place(file))).size / 2 ** 20 : '',
    })),
  );
  report(`A manifest of ${statements.toLocaleString('en')} statements`, [
    ...rows,
    { what: 'the service at rest', 'memory, MiB': rest.peak },
  ]);
});
