import { cpus } from 'node:os';
import { join } from 'node:path';
import { bareInsertMany } from './bare-insert-many.ts';
import { batchSize, inFlight, ingest } from './batch-ingestion.ts';
import { median, report } from './measure.ts';
import { withMongoService } from './mongo-service.ts';
import { startService } from './service-process.ts';

// Batches over HTTP on MongoDB, from request to acknowledgement, compared with bare `insertMany` of the same documents
// into a collection with the same indexes and concurrency. PROCESSES=3 also measures two and three processes.

const batches = Number(process.env.BATCHES ?? 30);
const runs = 3;

/** A rate, and the load of all processors during it, including those of the database. */
interface Load {
  readonly rate: number;
  readonly busy: number;
}

async function loaded(work: () => Promise<number>): Promise<Load> {
  const [idleBefore, allBefore] = processorTimes();
  const rate = await work();
  const [idle, all] = processorTimes();
  return { rate, busy: 1 - (idle - idleBefore) / (all - allBefore) };
}

function processorTimes(): [idle: number, all: number] {
  const times = cpus().map((cpu) => cpu.times);
  const all = times.flatMap((one) => Object.values(one)).reduce((sum, time) => sum + time, 0);
  return [times.reduce((sum, { idle }) => sum + idle, 0), all];
}

/** Ingestion over several processes at once. */
async function loadOf(processes: number, run: number): Promise<{ load: Load; bare: number }> {
  return await withMongoService(async ({ service, folder, environment, db, plain }) => {
    await using others = new AsyncDisposableStack();
    const urls: [string, ...string[]] = [service.url];
    while (urls.length < processes)
      urls.push(others.use(await startService(join(folder, `${urls.length}`), environment)).url);
    const load = await loaded(() => ingest(urls, run, batches));
    const bare = await bareInsertMany(db, plain, { name: 'statements', batchSize, inFlight });
    return { load, bare };
  });
}

const most = Number(process.env.PROCESSES ?? 1);
const measured = Array.from({ length: most }, (): { load: Load; bare: number }[] => []);
for (let run = 0; run < runs; run += 1)
  for (const [at, of] of measured.entries()) of.push(await loadOf(at + 1, run));
const rows = measured.map((of, at) => ({
  what: `Cairn: PUT /statements/v1/batch over HTTP, ${at + 1} process${at > 0 ? 'es' : ''}`,
  'statements/s': median(of.map(({ load }) => load.rate)),
  ratio: median(of.map(({ load, bare }) => load.rate / bare)),
  'processors busy, %': Math.round(100 * median(of.map(({ load }) => load.busy))),
}));
report(`Ingestion of ${batches} batches of ${batchSize} on MongoDB, which shares its processors with Cairn`, [
  {
    what: 'bare insertMany of the same documents',
    'statements/s': median(measured.flat().map(({ bare }) => bare)),
    ratio: 1,
  },
  ...rows,
]);
