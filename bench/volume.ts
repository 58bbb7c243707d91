import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { jcs } from '../src/domain/integrity/identification/jcs.ts';
import { ingestParts, partSize } from './batch-ingestion.ts';
import { exportTo } from './load/manifest-transfer.ts';
import { median, report } from './measure.ts';
import { startService, withFolder } from './service-process.ts';

// One embedded store with many statements: whether ingestion slows down, the size of the file, export, and start.
// STATEMENTS=5000000 is the full run.

const statements = Number(process.env.STATEMENTS ?? 1_000_000);
const starts = 7;

/** The mean size of a statement in its canonical form. */
async function canonicalBytes(url: string): Promise<number> {
  const page = await fetch(`${url}/statements/v1?limit=1000`);
  const { statements } = (await page.json()) as { statements: { statement: unknown }[] };
  const sizes = statements.map(({ statement }) => Buffer.byteLength(jcs(statement)));
  return sizes.reduce((sum, size) => sum + size, 0) / sizes.length;
}

/** The database and its log. */
async function databaseBytes(dataDir: string): Promise<number> {
  const files = (await readdir(dataDir)).filter((name) => name.startsWith('cairn.db'));
  const sizes = await Promise.all(files.map(async (name) => (await stat(join(dataDir, name))).size));
  return sizes.reduce((sum, size) => sum + size, 0);
}

/** Seconds from the start of the process until it is ready. */
async function startSeconds(dataDir: string): Promise<number> {
  const startedAt = performance.now();
  await using _service = await startService(dataDir);
  return (performance.now() - startedAt) / 1_000;
}

await withFolder(async (folder) => {
  const dataDir = join(folder, 'data');
  const measure = async () => {
    await using service = await startService(dataDir);
    const { parts, all } = await ingestParts(service.url, statements);
    const canonical = await canonicalBytes(service.url);
    const startedAt = performance.now();
    await exportTo(service.url, join(folder, 'export'), 'include_context=true', 'application/json');
    const exported = (statements / (performance.now() - startedAt)) * 1_000;
    return { first: parts[0] ?? 0, last: parts.at(-1) ?? 0, all, canonical, exported };
  };
  const { first, last, all, canonical, exported } = await measure();
  const each = (await databaseBytes(dataDir)) / statements;
  const ready: number[] = [];
  for (let run = 0; run < starts; run += 1) ready.push(await startSeconds(dataDir));
  const part = partSize.toLocaleString('en');
  report(`One store of ${statements.toLocaleString('en')} statements`, [
    { what: `ingestion, first ${part}`, 'statements/s': first, ratio: 1 },
    { what: `ingestion, last ${part}`, 'statements/s': last, ratio: last / first },
    { what: 'ingestion', 'statements/s': all, ratio: 1 },
    { what: 'export, JSON', 'statements/s': exported, ratio: exported / all },
    { what: 'JCS', 'bytes each': canonical, ratio: 1 },
    { what: 'database file, closed', 'bytes each': each, ratio: each / canonical },
    { what: 'start to ready', s: median(ready) },
  ]);
});
