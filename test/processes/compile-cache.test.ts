import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { temporaryFolder } from '../temporary-folder.ts';
import { runCairn, spawnService } from './spawn-cairn.ts';

const withoutCache = { NODE_COMPILE_CACHE: '' };

test('a command keeps its compiled sources in the cache folder of its user', async () => {
  using folder = temporaryFolder();
  const env = { ...withoutCache, XDG_CACHE_HOME: folder.path };
  expect(await runCairn(['--version'], { env })).toMatchObject({ code: 0, stderr: '' });
  expect(readdirSync(join(folder.path, 'cairn'))).toHaveLength(1);
});

test('without XDG_CACHE_HOME the cache folder is ~/.cache', async () => {
  using folder = temporaryFolder();
  const env = { ...withoutCache, HOME: folder.path };
  expect(await runCairn(['--version'], { env })).toMatchObject({ code: 0, stderr: '' });
  expect(readdirSync(join(folder.path, '.cache', 'cairn'))).toHaveLength(1);
});

test('a command without a home folder keeps nothing', async () => {
  const env = { ...withoutCache, HOME: '' };
  expect(await runCairn(['--version'], { env })).toMatchObject({ code: 0, stderr: '' });
});

test('a command runs when its cache folder cannot be written', async () => {
  using folder = temporaryFolder();
  writeFileSync(join(folder.path, 'cairn'), 'a file, not a folder');
  const env = { ...withoutCache, XDG_CACHE_HOME: folder.path };
  expect(await runCairn(['--version'], { env })).toMatchObject({ code: 0, stderr: '' });
});

test('a command removes the cache of earlier months, and nothing else', async () => {
  using folder = temporaryFolder();
  const cache = join(folder.path, 'cairn');
  for (const name of ['2026-01', 'src']) mkdirSync(join(cache, name, 'inside'), { recursive: true });
  const env = { ...withoutCache, XDG_CACHE_HOME: folder.path };
  expect(await runCairn(['--version'], { env })).toMatchObject({ code: 0, stderr: '' });
  const left = readdirSync(cache).sort();
  expect(left).toEqual([expect.stringMatching(/^\d{4}-\d{2}$/), 'src']);
  expect(left).not.toContain('2026-01');
});

test('a service fills its cache when it is ready, not only when it stops', async () => {
  using folder = temporaryFolder();
  await using _service = await spawnService({ ...withoutCache, XDG_CACHE_HOME: folder.path });
  await expect.poll(() => readdirSync(folder.path, { recursive: true }).length).toBeGreaterThan(100);
});

test('a service uses what the image has compiled, instead of compiling it again', async () => {
  using folder = temporaryFolder();
  const root = join(import.meta.dirname, '../..');
  const [, script = ''] =
    /--eval \\\n\s+"(.*)"$/m.exec(readFileSync(join(root, 'k8s/Dockerfile'), 'utf8')) ?? [];
  const env = { ...process.env, NODE_COMPILE_CACHE: folder.path };
  execFileSync(process.execPath, ['--input-type=module', '--eval', script.replaceAll('/app/', `${root}/`)], {
    env,
  });
  const entries = () =>
    readdirSync(folder.path, { recursive: true, encoding: 'utf8' })
      .map((name) => join(folder.path, name))
      .filter((path) => statSync(path).isFile());
  const filled = entries();
  expect(filled.length).toBeGreaterThan(1_000);
  const before = new Map(filled.map((path) => [path, statSync(path).mtimeMs]));
  {
    await using service = await spawnService({ NODE_COMPILE_CACHE: folder.path });
    await expect.poll(() => entries().length).toBeGreaterThan(filled.length);
    expect((await fetch(`${service.url}/ready`)).status).toBe(200);
  }
  const compiledAgain = filled.filter((path) => statSync(path).mtimeMs !== before.get(path));
  // `main.ts` sets the flags itself, and is compiled before.
  expect(compiledAgain.length).toBeLessThan(10);
});
