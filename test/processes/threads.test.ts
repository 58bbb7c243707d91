import { AsyncLocalStorage } from 'node:async_hooks';
import { readdirSync, readFileSync } from 'node:fs';
import { getPriority, platform } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { ContextRegistry } from '../../src/domain/integrity/contexts/contexts.ts';
import { ContextWorld } from '../../src/domain/integrity/contexts/world.ts';
import type { Identified } from '../../src/domain/integrity/ports.ts';
import { eachResult } from '../../workers/packing.ts';
import { StatementPool, type StatementPoolOptions } from '../../workers/statement-pool.ts';
import type { Caller } from '../../workers/threads.ts';
import { temporaryFolder } from '../temporary-folder.ts';
import { commandLine, listeningUrl, spawnNode } from './spawn-cairn.ts';

const callers = new AsyncLocalStorage<Caller>();
const registry = new ContextRegistry(ContextWorld.bundled(), []);

function poolWith(options: Partial<StatementPoolOptions>): StatementPool {
  const limits = { threads: 1, maxDepth: 64, documentMs: 30_000, requestMs: 60_000, waitMs: 60_000 };
  const currentCaller = () => callers.getStore();
  const pool = new StatementPool({ registry, ...limits, currentCaller, ...options });
  onTestFinished(() => pool[Symbol.asyncDispose]());
  return pool;
}

/** One member with very many values: JSON-LD compares all pairs and never checks the time. */
const slow = Buffer.from(
  JSON.stringify({
    '@context': { p: 'urn:example:p' },
    p: Array.from({ length: 120_000 }, (_, value) => `v${value}`),
  }),
);
const quick = Buffer.from(JSON.stringify({ '@context': { p: 'urn:example:p' }, p: 'v' }));

function request(key: string, signal = new AbortController().signal) {
  const caller = { key, signal };
  return <Result>(work: () => Promise<Result>) => callers.run(caller, work);
}

const canonical = { canonical: true };
const codeOf = (work: Promise<unknown>) =>
  work.then(
    () => 'done',
    ({ code }) => code,
  );

const outcomesOf = (identified: Identified) =>
  eachResult(identified).map((result) => ('error' in result ? result.error.code : 'done'));

test('slow documents of one caller do not delay another caller', async () => {
  const pool = poolWith({});
  const left = new AbortController();
  const first = codeOf(request('a', left.signal)(() => pool.nquads(slow, canonical)));
  const second = codeOf(request('a', left.signal)(() => pool.nquads(slow, canonical)));
  expect(await codeOf(request('b')(() => pool.nquads(quick, canonical)))).toBe('done');
  left.abort();
  expect(await Promise.all([first, second])).toEqual(['truncated_upload', 'truncated_upload']);
});

test('work of a client that has disconnected ends, whether it runs or waits', async () => {
  const pool = poolWith({});
  const left = new AbortController();
  const body = Buffer.concat([slow, slow]);
  const ranges = [0, slow.length, slow.length, body.length];
  const options = { generateId: true, strict: false, reportCoverage: false };
  const abandoned = codeOf(request('a', left.signal)(() => pool.identify(body, ranges, options)));
  const next = codeOf(request('a')(() => pool.nquads(quick, canonical)));
  left.abort();
  expect(await abandoned).toBe('truncated_upload');
  expect(await next).toBe('done');
  expect(await codeOf(request('a', left.signal)(() => pool.nquads(quick, canonical)))).toBe(
    'truncated_upload',
  );
});

test('a request that gets no turn in time is unavailable, and may be repeated', async () => {
  const pool = poolWith({ waitMs: 100 });
  const left = new AbortController();
  const first = codeOf(request('a', left.signal)(() => pool.nquads(slow, canonical)));
  const second = request('a')(() => pool.nquads(quick, canonical));
  await expect(second).rejects.toMatchObject({ code: 'unavailable', retryAfter: 1 });
  left.abort();
  await first;
});

test('work without a request waits as long as it takes', async () => {
  const pool = poolWith({ waitMs: 100, documentMs: 1_000 });
  const first = codeOf(pool.nquads(slow, canonical));
  const second = codeOf(pool.nquads(quick, canonical));
  expect(await Promise.all([first, second])).toEqual(['too_complex', 'done']);
});

test('a request that had a turn waits for the next ones', async () => {
  const pool = poolWith({ waitMs: 500, documentMs: 10 });
  const body = Buffer.concat([slow, slow]);
  const ranges = [0, slow.length, slow.length, body.length];
  const options = { generateId: true, strict: false, reportCoverage: false };
  const identified = await request('a')(() => pool.identify(body, ranges, options));
  expect(outcomesOf(identified)).toEqual(['too_complex', 'too_complex']);
});

test('all parts of an import share one budget, which grows with its size', async () => {
  const pool = poolWith({ requestMs: 300 });
  const world = { id: 'none', documents: [] };
  const inRequest = request('a');
  const identify = async (body: Buffer) => {
    const [result] = await inRequest(() => pool.identifyUnder(body, [0, body.length], world));
    return result && 'error' in result ? result.error.code : 'done';
  };
  const named = Buffer.from(slow.toString().replace('{', '{"@id":"urn:example:any",'));
  expect(await identify(named)).toBe('too_complex');
  const spaces = Buffer.alloc(1 << 22, ' ');
  expect(await identify(quick)).toBe('too_complex');
  expect(await identify(Buffer.concat([quick, spaces]))).toBe('missing_id');
  const [other] = await request('a')(() => pool.identifyUnder(quick, [0, quick.length], world));
  expect(other && 'error' in other && other.error.code).toBe('missing_id');
});

test('a stuck thread is ended, and the other statements of its task are repeated', async () => {
  const pool = poolWith({ documentMs: 400 });
  const body = Buffer.concat([quick, slow, quick]);
  const ends = [quick.length, quick.length + slow.length, body.length];
  const ranges = ends.flatMap((end, at) => [ends[at - 1] ?? 0, end]);
  const options = { generateId: true, strict: false, reportCoverage: false };
  expect(outcomesOf(await pool.identify(body, ranges, options))).toEqual(['done', 'too_complex', 'done']);
  expect(outcomesOf(await pool.identify(quick, [0, quick.length], options))).toEqual(['done']);
});

test('a request ends with its time budget, and so do N-Quads that take too long', async () => {
  const strict = poolWith({ requestMs: 300 });
  const options = { generateId: true, strict: false, reportCoverage: false };
  expect(outcomesOf(await strict.identify(slow, [0, slow.length], options))).toEqual(['too_complex']);
  await expect(poolWith({ documentMs: 400 }).nquads(slow, canonical)).rejects.toMatchObject({
    code: 'too_complex',
  });
});

test('a service starts with a flag of V8 on its command line', async () => {
  using folder = temporaryFolder();
  const [, ...serve] = commandLine(['serve', '--port', '0']);
  const env = { CAIRN_WORKERS: '1', CAIRN_DATA_DIR: join(folder.path, 'data') };
  using service = spawnNode(['--max-old-space-size=512', ...serve], { env });
  expect(await listeningUrl(service.child.stderr, service.done)).toMatch(/^http:/);
});

test.runIf(platform() === 'linux')('threads of the pool are less urgent than the main thread', async () => {
  const pool = poolWith({});
  await pool.nquads(quick, canonical);
  const stats = readdirSync('/proc/self/task').map((id) =>
    readFileSync(`/proc/self/task/${id}/stat`, 'utf8'),
  );
  const niceness = stats.map((stat) => Number(stat.slice(stat.lastIndexOf(')')).split(' ')[17]));
  expect(niceness).toContain(Math.min(getPriority(process.pid) + 5, 19));
});
