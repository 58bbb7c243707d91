import { readFile, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { ingestParts } from './batch-ingestion.ts';
import { exportTo, importFrom } from './load/manifest-transfer.ts';
import { report } from './measure.ts';
import { type ServiceProcess, startService, withFolder } from './service-process.ts';

// Export and import of one graph over HTTP, compared with ingestion of the same statements in batches.
// The full run: STATEMENTS=1000000.

const statements = Number(process.env.STATEMENTS ?? 100_000);
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

/** Runs work on a service. Work may return its own rate of statements per second. */
async function measured(
  dataDir: string,
  work: (service: ServiceProcess) => Promise<number | undefined>,
): Promise<Outcome> {
  await using service = await startService(dataDir);
  using memory = new PeakMemory(service);
  const startedAt = performance.now();
  const own = await work(service);
  const rate = own ?? (statements / (performance.now() - startedAt)) * 1_000;
  await memory.look();
  return { rate, peak: memory.mib };
}

await withFolder(async (folder) => {
  const place = (name: string) => join(folder, name);
  const [data, json] = [place('data'), 'application/json'];
  const exporting = (name: string, query: string, accept: string) =>
    measured(data, ({ url }) => exportTo(url, place(name), query, accept));
  const importing = async (name: string, type: string) => {
    const outcome = await measured(place('other'), ({ url }) => importFrom(url, place(name), type));
    await rm(place('other'), { recursive: true });
    return outcome;
  };
  const [bare, everything] = ['include_context=true', 'include_context=true&include_blobs=true'];
  const rest = await measured(place('rest'), async () => undefined);
  const ingestion = await measured(data, async ({ url }) => (await ingestParts(url, statements)).all);
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
