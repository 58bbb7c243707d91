import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { Worker } from 'node:worker_threads';
import { expect, test } from 'vitest';
import { openEmbedded } from '../../src/storage/open.ts';
import { temporaryFolder } from '../temporary-folder.ts';
import { runCairn, spawnService } from './spawn-cairn.ts';

const reporter = pathToFileURL(join(import.meta.dirname, 'report-modules.ts')).href;

function reported(folder: string) {
  const file = join(folder, 'modules');
  const env = { NODE_OPTIONS: `--import=${reporter}`, REPORT_MODULES: file };
  /** The packages, or the files of this project, that were loaded. */
  const loaded = (pattern: RegExp) => [
    ...new Set(Array.from(readFileSync(file, 'utf8').matchAll(pattern), ([, name]) => name)),
  ];
  return {
    env,
    packages: () => loaded(/\/node_modules\/((?:@[^/]+\/)?[^/]+)/g),
    commands: () => loaded(/\/src\/cli\/commands\/([\w-]+)\.ts$/gm),
    threads: () => loaded(/\/workers\/([\w-]+-thread)\.ts$/gm),
  };
}

test('a command loads no other commands', async () => {
  using folder = temporaryFolder();
  const { env, packages, commands } = reported(folder.path);
  expect(await runCairn(['key', '--help'], { env })).toMatchObject({ code: 0, stderr: '' });
  expect(commands()).toEqual(['key']);
  expect(packages()).not.toEqual(expect.arrayContaining([expect.stringMatching(/^(hono|jsonld)$/)]));
});

test('the version is told without loading a command', async () => {
  using folder = temporaryFolder();
  const { env, commands } = reported(folder.path);
  expect(await runCairn(['--version'], { env })).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(/^\d+\.\d+\.\d+\n$/),
  });
  expect(commands()).toEqual([]);
});

test('a start loads no libraries that it does not need, and starts no threads for work that may never come', async () => {
  using folder = temporaryFolder();
  const { env, packages, threads } = reported(folder.path);
  await using service = await spawnService(env);
  expect((await fetch(`${service.url}/ready`)).status).toBe(200);
  const rest =
    /^(@cyclonedx\/|@digitalbazaar\/http-client|@opentelemetry\/|@sigstore\/|ajv|bullmq|cli-progress|ioredis|libxml2-wasm|mongodb|prom-client|saxes|undici)/;
  expect(packages()).toContain('hono');
  expect(packages().filter((name) => rest.test(name ?? ''))).toEqual([]);
  expect(threads()).toEqual([]);
});

test('the thread that writes loads no schemas, which would double its start', async () => {
  using folder = temporaryFolder();
  const { env, packages } = reported(folder.path);
  await (await openEmbedded(folder.path))[Symbol.asyncDispose]();
  const module = new URL('../../src/storage/embedded/writer/write-thread.ts', import.meta.url);
  const thread = new Worker(module, {
    workerData: { file: join(folder.path, 'cairn.db') },
    execArgv: [`--import=${reporter}`],
    env: { ...process.env, ...env },
  });
  await once(thread, 'message');
  await thread.terminate();
  expect(packages()).toContain('lru-cache');
  expect(packages()).not.toContain('zod');
});
