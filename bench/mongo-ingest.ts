import { cpus } from 'node:os';
import { join } from 'node:path';
import { bareInsertMany } from './bare-insert-many.ts';
import { batchSize, inFlight, ingest } from './batch-ingestion.ts';
import { median, report } from './measure.ts';
import { withMongoService } from './mongo-service.ts';
import { startService } from './service-process.ts';

// Batches over HTTP on MongoDB, from request to acknowledgement, compared with bare `insertMany` of the same documents
// into a collection with the same indexes and concurrency. Then with two processes of that concurrency.

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

const measured: { one: Load; two: Load; bare: number }[] = [];
for (let run = 0; run < runs; run += 1) {
  const one = await withMongoService(async ({ service, db, plain }) => {
    const load = await loaded(() => ingest([service.url], run, batches));
    return { load, bare: await bareInsertMany(db, plain, { name: 'statements', batchSize, inFlight }) };
  });
  const two = await withMongoService(async ({ service, folder, environment }) => {
    await using second = await startService(join(folder, 'second'), environment);
    return await loaded(() => ingest([service.url, second.url], run, batches));
  });
  measured.push({ one: one.load, two, bare: one.bare });
}
const busy = (loads: readonly Load[]) => Math.round(100 * median(loads.map((load) => load.busy)));
report(`Ingestion of ${batches} batches of ${batchSize} on MongoDB`, [
  {
    what: 'bare insertMany of the same documents',
    'statements/s': median(measured.map(({ bare }) => bare)),
    ratio: 1,
  },
  {
    what: 'Cairn: PUT /statements/v1/batch over HTTP',
    'statements/s': median(measured.map(({ one }) => one.rate)),
    ratio: median(measured.map(({ one, bare }) => one.rate / bare)),
    'processors busy, %': busy(measured.map(({ one }) => one)),
  },
  {
    what: 'the same over two processes, beside one',
    'statements/s': median(measured.map(({ two }) => two.rate)),
    ratio: median(measured.map(({ one, two }) => two.rate / one.rate)),
    'processors busy, %': busy(measured.map(({ two }) => two)),
  },
]);
