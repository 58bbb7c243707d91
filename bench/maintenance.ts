import { join } from 'node:path';
import { openFsck, openMigration } from '../src/composition/maintenance.ts';
import { sampleOf } from '../src/domain/maintenance/fsck/sample.ts';
import { readSettings } from '../src/platform/settings/settings.ts';
import { ingestParts } from './batch-ingestion.ts';
import { type Row, report } from './measure.ts';
import { withServers } from './mongo-service.ts';
import { startService, withFolder } from './service-process.ts';

// fsck and migrate, compared with the ingestion of the same statements in batches. On a data folder, or on MongoDB with
// STORE=mongodb.

const statements = Number(process.env.STATEMENTS ?? 100_000);

const rows: Row[] = [];

async function timed(what: string, work: () => Promise<unknown>): Promise<void> {
  const startedAt = performance.now();
  await work();
  rows.push({ what, 'statements/s': (statements / (performance.now() - startedAt)) * 1_000 });
}

async function measure(folder: string, environment: Record<string, string>): Promise<void> {
  const data = join(folder, 'data');
  const source = readSettings({ ...environment, CAIRN_DATA_DIR: data });
  {
    await using service = await startService(data, environment);
    const { all } = await ingestParts(service.url, statements);
    rows.push({ what: 'batch ingestion', 'statements/s': all });
  }
  {
    await using fsck = await openFsck(source, () => {});
    const options = { repair: false, sample: sampleOf(1, ''), onProgress: () => {} };
    await timed('fsck', () => Array.fromAsync(fsck.run(options)));
  }
  const target = readSettings({ CAIRN_DATA_DIR: join(folder, 'copy') });
  await using migration = await openMigration({ from: source, to: target, workers: null }, () => {});
  await timed('migrate to a data folder', () => Array.fromAsync(migration.run(() => {})));
}

if (process.env.STORE === 'mongodb')
  await withServers(({ folder, environment }) => measure(folder, environment));
else await withFolder((folder) => measure(folder, {}));
const [ingestion] = rows;
report(
  `fsck and migrate of ${statements.toLocaleString('en')} statements`,
  rows.map((row) => ({ ...row, ratio: Number(row['statements/s']) / Number(ingestion?.['statements/s']) })),
);
