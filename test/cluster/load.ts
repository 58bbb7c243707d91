import { appendFileSync, readFileSync } from 'node:fs';
import { Agent, request } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { exampleStatement } from '../../bench/example-statements.ts';

/**
 * Writes statements and blobs until SIGTERM, and notes the path of everything that was acknowledged:
 *   node test/cluster/load.ts write http://127.0.0.1:30050 acknowledged.txt
 * Reads all of it back:
 *   node test/cluster/load.ts verify http://127.0.0.1:30050 acknowledged.txt
 */
const [mode, base = '', file = ''] = process.argv.slice(2);
const clients = Number(process.env.LOAD_CLIENTS || 8);
const silenceMs = 10_000;
const blobs = '/store/v1/blob';
const giveUpMs = 120_000;
/** New connections reach pods that were started later. */
const requestsPerConnection = 100;

interface Answer {
  readonly status: number;
  readonly retryAfter: number;
  readonly body: string;
}

const agent = new Agent({ keepAlive: true, maxSockets: clients });
const repeated: Record<string, number> = {};
const failures: string[] = [];
const times: number[] = [];
let sent = 0;

function send(method: string, path: string, body?: string): Promise<Answer> {
  sent += 1;
  const type = path === blobs ? 'application/octet-stream' : 'application/json';
  const headers = {
    ...(body !== undefined && {
      'content-length': Buffer.byteLength(body),
      'content-type': type,
    }),
    ...(sent % requestsPerConnection === 0 && { connection: 'close' }),
  };
  return new Promise((resolve, reject) => {
    const call = request(new URL(path, base), { method, headers, agent }, async (response) => {
      try {
        const text = await Array.fromAsync(response.setEncoding('utf8'));
        const retryAfter = Number(response.headers['retry-after'] ?? 1);
        resolve({ status: response.statusCode ?? 0, retryAfter, body: text.join('') });
      } catch (error) {
        reject(error);
      }
    });
    call.setTimeout(silenceMs, () => call.destroy(Object.assign(new Error('no answer'), { code: 'SILENT' })));
    call.on('error', reject);
    call.end(body);
  });
}

/**
 * Repeats a request as the API allows: after 503 when it says so, and after a lost connection, because everything is
 * named by its content. Returns undefined for any other failure.
 */
async function ask(method: string, path: string, body?: string): Promise<Answer | undefined> {
  const started = performance.now();
  let problem = '';
  while (performance.now() - started < giveUpMs) {
    try {
      const answer = await send(method, path, body);
      if (answer.status < 300) {
        times.push(performance.now() - started);
        return answer;
      }
      problem = `${answer.status} ${answer.body}`;
      if (answer.status !== 503) break;
      repeated['503'] = (repeated['503'] ?? 0) + 1;
      await delay(answer.retryAfter * 1_000);
    } catch (error) {
      const { code, message } = error as NodeJS.ErrnoException;
      problem = code ?? message;
      repeated[problem] = (repeated[problem] ?? 0) + 1;
      await delay(100);
    }
  }
  failures.push(`${method} ${path.slice(0, 80)}: ${problem}`);
  return undefined;
}

async function writeOne(number: number): Promise<void> {
  if (number % 10 === 9) {
    const answer = await ask('PUT', blobs, `${process.pid} ${number} `.repeat(2_000));
    if (answer) appendFileSync(file, `${blobs}/${JSON.parse(answer.body).cid}\n`);
    return;
  }
  const statement = exampleStatement(number, `${process.pid} `);
  const answer = await ask('PUT', '/statements/v1', JSON.stringify({ generate_id: true, statement }));
  if (answer) appendFileSync(file, `/statements/v1/id/${JSON.parse(answer.body).rdfc_cid}\n`);
}

async function onAll(work: () => Promise<boolean>): Promise<void> {
  const client = async () => {
    while (await work());
  };
  await Promise.all(Array.from({ length: clients }, client));
}

const stop = new AbortController();
process.once('SIGTERM', () => stop.abort());
const started = performance.now();
let next = 0;
if (mode === 'verify') {
  const paths = [...new Set(readFileSync(file, 'utf8').split('\n').filter(Boolean))];
  await onAll(async () => {
    const path = paths[next];
    next += 1;
    if (path !== undefined) await ask('GET', path);
    return path !== undefined;
  });
} else {
  await onAll(async () => {
    next += 1;
    await writeOne(next);
    return !stop.signal.aborted;
  });
}
times.sort((a, b) => a - b);
const quantile = (share: number) => Math.round(times[Math.floor((times.length - 1) * share)] ?? 0);
const seconds = (performance.now() - started) / 1_000;
const done = { mode, answered: times.length, failed: failures.length, repeated };
const speed = { seconds: Math.round(seconds), perSecond: Math.round(times.length / seconds) };
const ms = { p50: quantile(0.5), p99: quantile(0.99), slowest: quantile(1) };
console.log(JSON.stringify({ ...done, ...speed, ms, failures: failures.slice(0, 5) }));
agent.destroy();
process.exitCode = failures.length > 0 ? 1 : 0;
