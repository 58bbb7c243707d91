import { join } from 'node:path';
import { DatabaseSync, type SQLInputValue } from 'node:sqlite';
import { batchSize, ingest } from './batch-ingestion.ts';
import { median, report } from './measure.ts';
import { startService, withFolder } from './service-process.ts';

// Batches over HTTP, from request to durable acknowledgement, compared with bare INSERTs of the same rows: sorted by the keys
// of the whole run, which no store knows when it receives them, and in the order of arrival.

const batches = Number(process.env.BATCHES ?? 60);
const runs = 3;

/** As in the embedded store. */
const settings = `PRAGMA page_size = 8192; PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL;
  PRAGMA cache_size = -16384; PRAGMA mmap_size = 2147418112; PRAGMA wal_autocheckpoint = 8192;`;

/** Statements per second of one run. */
interface Rates {
  readonly ours: number;
  readonly sorted: number;
  readonly arriving: number;
}

/** Inserts the stored rows into an empty database of the same form, in transactions of 1,000 statements. */
function bareInserts(from: string, to: string, order = ''): number {
  const source = new DatabaseSync(from, { readOnly: true });
  const target = new DatabaseSync(to);
  target.exec(settings);
  const schema = source
    .prepare("SELECT name, type, sql FROM sqlite_schema WHERE sql IS NOT NULL AND name NOT LIKE 'sqlite_%'")
    .all();
  for (const { sql } of schema) target.exec(String(sql));
  const tables = schema
    .filter(({ type, name }) => type === 'table' && String(name).startsWith('verified_'))
    .map(({ name }) => String(name));
  const rows = new Map(
    tables.map((table) => [table, source.prepare(`SELECT * FROM ${table} ${order}`).all()]),
  );
  const inserts = new Map(
    tables.map((table) => {
      const columns = Object.keys(rows.get(table)?.[0] ?? {});
      const sql = `INSERT INTO ${table} (${columns}) VALUES (${columns.map(() => '?')})`;
      return [table, columns.length > 0 ? target.prepare(sql) : undefined];
    }),
  );
  const statements = rows.get('verified_rows')?.length ?? 0;
  const parts = Math.ceil(statements / batchSize);
  const startedAt = performance.now();
  for (let part = 0; part < parts; part += 1) {
    target.exec('BEGIN');
    for (const [table, all] of rows) {
      const share = all.slice(
        Math.floor((all.length * part) / parts),
        Math.floor((all.length * (part + 1)) / parts),
      );
      for (const row of share) inserts.get(table)?.run(...(Object.values(row) as SQLInputValue[]));
    }
    target.exec('COMMIT');
  }
  return (statements / (performance.now() - startedAt)) * 1_000;
}

const measured: Rates[] = [];
for (let run = 0; run < runs; run += 1) {
  await withFolder(async (folder) => {
    const dataDir = join(folder, 'data');
    let ours: number;
    {
      await using service = await startService(dataDir);
      ours = await ingest([service.url], run, batches);
    }
    const stored = join(dataDir, 'cairn.db');
    measured.push({
      ours,
      sorted: bareInserts(stored, join(folder, 'sorted.db')),
      arriving: bareInserts(stored, join(folder, 'arriving.db'), 'ORDER BY seq'),
    });
  });
}
const middle = (of: (rates: Rates) => number) => median(measured.map(of));
report(`Ingestion of ${batches} batches of ${batchSize}`, [
  { what: 'bare INSERTs, sorted by keys', 'statements/s': middle(({ sorted }) => sorted), ratio: 1 },
  {
    what: 'Cairn: PUT /statements/v1/batch over HTTP',
    'statements/s': middle(({ ours }) => ours),
    ratio: middle(({ ours, sorted }) => ours / sorted),
  },
  {
    what: 'bare INSERTs, in the order of arrival',
    'statements/s': middle(({ arriving }) => arriving),
    ratio: 1,
  },
  {
    what: 'Cairn, beside the order of arrival',
    'statements/s': middle(({ ours }) => ours),
    ratio: middle(({ ours, arriving }) => ours / arriving),
  },
]);
