import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { AcknowledgedLoad } from './acknowledged-load.ts';
import { median, type Row, report } from './measure.ts';
import { memory, type ServiceProcess, startService, withFolder } from './service-process.ts';

// Mixed load for a long time: ingestion, uploads, exports, searches and lineages. Memory and handles of the service must
// not grow after the first quarter. MINUTES=60 is the full run.

const minutes = Number(process.env.MINUTES ?? 10);
const sampleMs = 5_000;
/** Memory goes up and down with garbage collection. */
const mayGrow = { 'own memory, MiB': 0.15, 'open files': 0.1 };

type Sample = Readonly<Record<keyof typeof mayGrow, number>>;

async function sample({ pid }: ServiceProcess): Promise<Sample> {
  return {
    'own memory, MiB': (await memory(pid)).own,
    'open files': (await readdir(`/proc/${pid}/fd`)).length,
  };
}

async function readOn({ url }: ServiceProcess, end: AbortSignal): Promise<void> {
  while (!end.aborted) {
    const page = await fetch(`${url}/statements/v1?limit=20`);
    const { statements } = (await page.json()) as { statements: { statement: Record<string, string> }[] };
    for (const { statement } of statements) {
      const id = encodeURIComponent(statement['@id'] ?? '');
      for (const path of [`/statements/v1/id/${id}`, `/lineage/v1/${id}`, `/cid/v1/find/${id}`])
        await (await fetch(url + path)).arrayBuffer();
    }
    await delay(100);
  }
}

const grown = await withFolder(async (folder) => {
  await using service = await startService(join(folder, 'data'), { CAIRN_LOG_LEVEL: 'error' });
  const load = new AcknowledgedLoad(() => service.url);
  const end = new AbortController();
  const samples: Sample[] = [];
  const watch = async () => {
    const until = performance.now() + minutes * 60_000;
    while (performance.now() < until) {
      await delay(sampleMs);
      samples.push(await sample(service));
    }
    load.stop();
    end.abort();
  };
  await Promise.all([load.run(), readOn(service, end.signal), watch()]);
  const quarter = Math.floor(samples.length / 4);
  const rows = Object.entries(mayGrow).map(([what, share]) => {
    const values = samples.map((one) => one[what as keyof Sample]);
    const [second, last] = [median(values.slice(quarter, 2 * quarter)), median(values.slice(-quarter))];
    return {
      what,
      'second quarter': second,
      'last quarter': last,
      ratio: last / second,
      isGrown: last / second > 1 + share,
    };
  });
  report(
    `${minutes} minutes of mixed load: ${load}`,
    rows.map(({ isGrown, ...row }): Row => ({ ...row, grows: isGrown ? 'yes' : 'no' })),
  );
  return rows.filter(({ isGrown }) => isGrown).length;
});
process.exitCode = grown === 0 ? 0 : 1;
