import { appendFileSync, readFileSync } from 'node:fs';
import { exampleStatement } from '../../bench/example-statements.ts';
import { RepeatingClient } from '../../bench/repeating-client.ts';

/**
 * Writes statements and blobs until SIGTERM, and notes the path of everything that was acknowledged:
 *   node test/cluster/load.ts write http://127.0.0.1:30050 acknowledged.txt
 * Reads all of it back:
 *   node test/cluster/load.ts verify http://127.0.0.1:30050 acknowledged.txt
 */
const [mode, base = '', file = ''] = process.argv.slice(2);
const clients = Number(process.env.LOAD_CLIENTS || 8);
const client = new RepeatingClient(() => base);
const failures: string[] = [];
const times: number[] = [];
const started = performance.now();

async function write(number: number): Promise<void> {
  const begun = performance.now();
  try {
    const path = await (number % 10 === 9
      ? client.putBlob(`${process.pid} ${number} `.repeat(2_000))
      : client.putStatement(exampleStatement(number, `${process.pid} `)));
    appendFileSync(file, `${path}\n`);
    times.push(performance.now() - begun);
  } catch (error) {
    failures.push((error as Error).message);
  }
}

async function writeOn(end: AbortSignal): Promise<void> {
  let next = 0;
  const one = async () => {
    while (!end.aborted) await write(++next);
  };
  await Promise.all(Array.from({ length: clients }, one));
}

/** The paths of all statements of the service, read in pages. */
async function* storedStatements() {
  let cursor: string | null = '';
  while (cursor !== null) {
    const { text } = await client.send(
      `/statements/v1?limit=1000${cursor && `&cursor=${encodeURIComponent(cursor)}`}`,
    );
    const page = JSON.parse(text) as {
      statements: { statement: { '@id': string } }[];
      next_cursor: string | null;
    };
    for (const { statement } of page.statements) yield `/statements/v1/id/${statement['@id']}`;
    cursor = page.next_cursor ?? null;
  }
}

async function verify() {
  const paths = new Set(readFileSync(file, 'utf8').split('\n').filter(Boolean));
  const answered = paths.size;
  for await (const path of storedStatements()) paths.delete(path);
  // Blobs, and statements that no page has shown.
  failures.push(...(await client.problems(paths)));
  return { answered: answered - failures.length };
}

async function writeUntilStopped() {
  const stop = new AbortController();
  process.once('SIGTERM', () => stop.abort());
  await writeOn(stop.signal);
  times.sort((a, b) => a - b);
  const quantile = (share: number) => Math.round(times[Math.floor((times.length - 1) * share)] ?? 0);
  const ms = { p50: quantile(0.5), p99: quantile(0.99), slowest: quantile(1) };
  return { answered: times.length, ms };
}

const done = mode === 'verify' ? await verify() : await writeUntilStopped();
const elapsed = (performance.now() - started) / 1_000;
const speed = { seconds: Math.round(elapsed), perSecond: Math.round(done.answered / elapsed) };
const repeated = Object.fromEntries(client.retries);
const failed = { failed: failures.length, failures: failures.slice(0, 5) };
console.log(JSON.stringify({ mode, ...done, ...speed, repeated, ...failed }));
process.exitCode = failures.length > 0 ? 1 : 0;
