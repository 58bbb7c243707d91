import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { MongoClient } from 'mongodb';
import { openFsck, openMigration } from '../src/composition/maintenance.ts';
import { sampleOf } from '../src/domain/maintenance/fsck/sample.ts';
import { readSettings } from '../src/platform/settings/settings.ts';
import { exampleStatement } from './example-statements.ts';
import { type Row, report } from './measure.ts';
import { type ServiceProcess, startService, withFolder } from './service-process.ts';

// fsck and migrate over a store, compared with the ingestion of its statements. STORE=mongodb measures
// CAIRN_TEST_MONGODB_URL instead of a data folder.

const statements = Number(process.env.STATEMENTS ?? 100_000);
const batchSize = 1_000;
const inFlight = 3;

async function ingest({ url }: ServiceProcess): Promise<void> {
  let next = 0;
  const sender = async () => {
    for (let first = next; first < statements; first = next) {
      next += batchSize;
      const batch = Array.from({ length: Math.min(batchSize, statements - first) }, (_, at) =>
        exampleStatement(first + at),
      );
      const response = await fetch(`${url}/statements/v1/batch`, {
        method: 'PUT',
        body: JSON.stringify({ statements: batch, generate_id: true }),
        headers: { 'content-type': 'application/json' },
      });
      if (!response.ok) throw new Error(await response.text());
      await response.arrayBuffer();
    }
  };
  await Promise.all(Array.from({ length: inFlight }, sender));
}

const rows: Row[] = [];

async function timed(what: string, work: () => Promise<unknown>): Promise<void> {
  const startedAt = performance.now();
  await work();
  rows.push({ what, 'statements/s': (statements / (performance.now() - startedAt)) * 1_000 });
}

await withFolder(async (folder) => {
  const data = join(folder, 'data');
  const url = process.env.STORE === 'mongodb' ? (process.env.CAIRN_TEST_MONGODB_URL ?? '') : null;
  const database = `cairn-bench-${randomUUID()}`;
  const environment: Record<string, string> =
    url === null ? {} : { CAIRN_MONGODB_URL: url, CAIRN_MONGODB_DATABASE: database };
  const source = readSettings({ ...environment, CAIRN_DATA_DIR: data });
  try {
    {
      await using service = await startService(data, environment);
      await timed('batch ingestion', () => ingest(service));
    }
    {
      await using fsck = await openFsck(source, () => {});
      let [part, partAt] = ['', performance.now()];
      const onProgress = (name: string) => {
        if (name === part) return;
        if (part !== '') console.error(part, Math.round(performance.now() - partAt));
        [part, partAt] = [name, performance.now()];
      };
      await timed('fsck', () =>
        Array.fromAsync(fsck.run({ repair: false, sample: sampleOf(1, ''), onProgress })),
      );
      console.error(part, Math.round(performance.now() - partAt));
    }
    const target = readSettings({ CAIRN_DATA_DIR: join(folder, 'copy') });
    await using migration = await openMigration({ from: source, to: target, workers: null }, () => {});
    await timed('migrate to a data folder', () => Array.fromAsync(migration.run(() => {})));
  } finally {
    if (url !== null) {
      const client = new MongoClient(url);
      await client.db(database).dropDatabase();
      await client.close();
    }
  }
});
const [ingestion] = rows;
report(
  `fsck and migrate of ${statements.toLocaleString('en')} statements`,
  rows.map((row) => ({ ...row, ratio: Number(row['statements/s']) / Number(ingestion?.['statements/s']) })),
);
