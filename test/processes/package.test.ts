import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { beforeAll, expect, onTestFinished, test } from 'vitest';
import { temporaryFolder } from '../temporary-folder.ts';
import { type Environment, spawnProgram } from './spawn-cairn.ts';

const repository = join(import.meta.dirname, '..', '..');
const path = [dirname(process.execPath), process.env.PATH].join(delimiter);
/** A folder in which the tarball of `npm pack` is installed. */
let installed: string;

beforeAll(() => {
  const folder = temporaryFolder();
  const copy = join(folder.path, 'copy');
  for (const name of ['bin', 'src', 'workers', 'queues', 'bench', 'package.json', 'README.md', '.npmrc'])
    cpSync(join(repository, name), join(copy, name), { recursive: true });
  const env = { PATH: path, HOME: folder.path };
  const run = (program: string, ...args: string[]) =>
    execFileSync(program, args, { cwd: copy, env, encoding: 'utf8' });
  const [{ filename }] = JSON.parse(run('npm', 'pack', '--json', '--foreground-scripts=false'));
  installed = join(folder.path, 'installed');
  mkdirSync(join(installed, 'node_modules'), { recursive: true });
  run('tar', 'xzf', filename, '-C', installed);
  const packages = join(repository, 'node_modules');
  for (const name of readdirSync(packages))
    symlinkSync(join(packages, name), join(installed, 'node_modules', name));
  cpSync(join(installed, 'package'), join(installed, 'node_modules', 'cairn'), { recursive: true });
  return () => folder[Symbol.dispose]();
}, 60_000);

async function journey(program: string): Promise<void> {
  using folder = temporaryFolder();
  const cwd = folder.path;
  const start = (args: readonly string[], env: Environment = {}) =>
    spawnProgram(program, args, { cwd, env: { PATH: path, ...env } });
  const serving = start(['serve', '--port', '0', '--data-dir', join(cwd, 'data')]);
  onTestFinished(() => serving[Symbol.dispose]());
  let told = '';
  while (!told.includes('docs')) told += String((await once(serving.child.stderr, 'data'))[0]);
  const [url = ''] = /http:\/\/127\.0\.0\.1:\d+/.exec(told) ?? [];
  const cairn = async (...args: string[]) => {
    using run = start(args, { CAIRN_URL: url });
    const { code, stdout, stderr } = await run.done;
    expect([args, code], stderr).toEqual([args, 0]);
    return stdout;
  };
  expect(await cairn('--version')).toBe('0.1.0\n');
  await cairn('init', 'Rents');
  writeFileSync(join(cwd, 'raw.csv'), 'hello\n');
  await cairn(
    'record',
    '--name',
    'shout',
    '--input',
    'raw.csv',
    '--output',
    'clean.csv',
    '--',
    'sh',
    '-c',
    'tr a-z A-Z < raw.csv > clean.csv',
  );
  expect(await cairn('lineage', 'clean.csv', '--direction', 'upstream')).toContain('input: raw.csv');
  await cairn('export', '-o', 'evidence.car');
  expect(await cairn('verify', 'evidence.car')).toContain('unaltered');
  expect(await cairn('verifier')).toContain('<title>Verify · Cairn</title>');
  await cairn('report', 'evidence.car', '-o', 'report.html');
  for (const file of ['file-drop.ts', 'words/text.ts', 'page.css', 'dagre.js']) {
    const response = await fetch(`${url}/ui/files/${file}`);
    expect([file, response.status]).toEqual([file, 200]);
    expect(await response.text()).not.toMatch(/^(?:import type|interface) /m);
  }
  serving.child.kill('SIGTERM');
  expect((await serving.done).code).toBe(0);
}

test('the command of an installed package serves, records and verifies, with scripts of pages and threads', async () => {
  await journey(join(installed, 'node_modules', 'cairn', 'bin', 'cairn'));
});

test('the command of a linked folder runs the sources', async () => {
  using folder = temporaryFolder();
  const program = join(folder.path, 'cairn');
  symlinkSync(join(repository, 'bin', 'cairn'), program);
  await journey(program);
});

test('a program imports record and the client from an installed package', async () => {
  using folder = temporaryFolder();
  const cwd = folder.path;
  symlinkSync(join(installed, 'node_modules'), join(cwd, 'node_modules'));
  const code = `import { writeFileSync } from 'node:fs';
    import { record } from 'cairn';
    import { Cairn } from 'cairn/client';
    const { spooled } = await record({ name: 'one', outputs: ['one.txt'], spool: 'unsent', graph: crypto.randomUUID(), run: () => writeFileSync('one.txt', '1') });
    if (new Cairn({ url: 'http://localhost:1' }).url !== 'http://localhost:1') throw new Error('no client');
    console.log(spooled);`;
  writeFileSync(join(cwd, 'program.mjs'), code);
  using run = spawnProgram(process.execPath, ['program.mjs'], { cwd, env: { PATH: path } });
  const { code: status, stdout, stderr } = await run.done;
  expect(status, stderr).toBe(0);
  expect(readdirSync(stdout.trim())).toContain('statements.ndjson');
});

test('the package has neither tests nor benches, and no source with types that Node would refuse', () => {
  const files = readdirSync(join(installed, 'package'), { recursive: true, encoding: 'utf8' });
  const typed = files.filter(
    (file) => /(?<!\.d)\.ts$/.test(file) && !/ui\/browser|contract\/words/.test(file),
  );
  expect(typed).toEqual([]);
  expect(files).toEqual(expect.arrayContaining(['bin/client.d.ts', 'src/client/api.d.ts']));
  expect(files.filter((file) => /^(?:test|bench|docs|k8s)\b/.test(file))).toEqual([]);
  expect(JSON.parse(readFileSync(join(installed, 'package', 'dist', 'package.json'), 'utf8')).type).toBe(
    'module',
  );
});
