import type { Db, Document, IndexDescription } from 'mongodb';
import { batchSize, inFlight, ingest } from './batch-ingestion.ts';
import { median, report } from './measure.ts';
import { withMongoService } from './mongo-service.ts';

// Batches over HTTP on MongoDB, from request to acknowledgement, beside bare `insertMany` of the very documents that
// they make, into a collection with the same indexes, as many at a time.

const batches = Number(process.env.BATCHES ?? 30);
const runs = 3;

async function bareInserts(from: Db, to: Db): Promise<number> {
  const source = from.collection('statements');
  const target = to.collection('statements');
  const indexes = (await source.indexes()).filter(({ name }) => name !== '_id_');
  await target.createIndexes(indexes.map(({ v: _, ...index }) => index) as IndexDescription[]);
  const documents = await source.find().toArray();
  const parts: Document[][] = [];
  for (let at = 0; at < documents.length; at += batchSize) parts.push(documents.slice(at, at + batchSize));
  const startedAt = performance.now();
  const sender = async () => {
    for (let part = parts.shift(); part; part = parts.shift())
      await target.insertMany(part, { ordered: false });
  };
  await Promise.all(Array.from({ length: inFlight }, sender));
  return (documents.length / (performance.now() - startedAt)) * 1_000;
}

const measured: { ours: number; bare: number }[] = [];
for (let run = 0; run < runs; run += 1) {
  await withMongoService(async ({ service, db, plain }) => {
    const ours = await ingest(service.url, run, batches);
    measured.push({ ours, bare: await bareInserts(db, plain) });
  });
}
report(`Ingestion of ${batches} batches of ${batchSize} on MongoDB`, [
  {
    what: 'bare insertMany of the same documents',
    'statements/s': median(measured.map(({ bare }) => bare)),
    ratio: 1,
  },
  {
    what: 'Cairn: PUT /statements/v1/batch over HTTP',
    'statements/s': median(measured.map(({ ours }) => ours)),
    ratio: median(measured.map(({ ours, bare }) => ours / bare)),
  },
]);
