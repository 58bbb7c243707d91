import { execFile } from 'node:child_process';
import { existsSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { temporaryFolder } from '../temporary-folder.ts';
import { spawnService } from './spawn-cairn.ts';

const repository = join(import.meta.dirname, '../..');
const read = (path: string) => readFileSync(join(repository, path), 'utf8');

interface Step {
  readonly commands: string;
  readonly shown: string | undefined;
}

/** The commands of a page, each with the output that it shows. */
function stepsOf(page: string): Step[] {
  return [...page.matchAll(/^```sh\n(.*?)^```\n(?:\n```text\n(.*?)^```\n)?/gms)].map(
    ([, commands = '', shown]) => ({ commands, shown }),
  );
}

/** Replaces what differs between two runs: ids of statements, keys, times and sizes, and what a slow machine tells of its progress. */
function comparable(text: string): string {
  return text
    .replaceAll(/^\d+ MiB read\n/gm, '')
    .replaceAll(/\b(bagb6q|baga6y)[\w…]+/g, '$1')
    .replaceAll(/did:key:[\w…]+/g, 'DID')
    .replaceAll(/[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}/g, 'UUID')
    .replaceAll(/\d{4}-\d\d-\d\d[T ]\d\d:\d\d(?::\d\d)?Z?/g, 'TIME')
    .replaceAll(/\d+(?:\.\d+)? s\b/g, 'DURATION')
    .replaceAll(/\d+ bytes/g, 'BYTES')
    .replaceAll(/\S+\/\.config\//g, '~/.config/')
    .replaceAll(/http:\/\/127\.0\.0\.1:\d+/g, 'URL');
}

/** What the page shows, as a pattern: `…` on a line of its own stands for any lines. */
function patternOf(shown: string): RegExp {
  const parts = comparable(shown).split(/^…\n/m);
  return new RegExp(`^${parts.map((part) => RegExp.escape(part)).join('(?:.*\\n)*')}$`);
}

interface Place {
  readonly folder: string;
  readonly env: Readonly<Record<string, string>>;
}

/** Runs commands of a page with `cairn` as `npm install --global .` links it, and compares what they print. */
async function run({ commands, shown }: Step, { folder, env }: Place) {
  using linked = temporaryFolder();
  symlinkSync(join(repository, 'bin', 'cairn'), join(linked.path, 'cairn'));
  const { stdout } = await promisify(execFile)('sh', ['-ec', `exec 2>&1\n${commands}`], {
    cwd: folder,
    env: { ...env, PATH: [linked.path, process.env.PATH].join(delimiter), HOME: folder },
  });
  if (shown !== undefined) expect(comparable(stdout)).toMatch(patternOf(shown));
}

test('the tutorial works as it stands, in an empty folder, and shows what it prints', async () => {
  using folder = temporaryFolder();
  writeFileSync(join(folder.path, '.gitconfig'), '[user]\n\tname = Ada Lovelace\n');
  await using service = await spawnService();
  const [install, serve, ...steps] = stepsOf(read('docs/tutorial.md'));
  expect(install?.commands).toContain('npm install --global .');
  expect(serve?.commands).toBe('cairn serve\n');
  for (const step of steps) {
    // The page says so there: what follows needs no service.
    if (step.commands.startsWith('cairn verify')) await service.stop();
    await run(step, { folder: folder.path, env: service.env });
  }
  expect(existsSync(join(folder.path, 'released', 'model.txt'))).toBe(true);
  const job = parse(readFileSync(join(folder.path, '.github/workflows/release.yml'), 'utf8')).jobs.gate;
  const commands = (job.steps as { run?: string }[]).flatMap((step) => step.run ?? []);
  expect(commands.shift()).toContain('npm install --global');
  await run({ commands: commands.join('\n'), shown: undefined }, { folder: folder.path, env: service.env });
  expect(readFileSync(join(folder.path, 'cairn.xml'), 'utf8')).toContain('failures="0" errors="0"');
});

test('the first statement of README is recorded, and its lineage is shown', async () => {
  using folder = temporaryFolder();
  await using service = await spawnService();
  const section = read('README.md')
    .split(/^## /m)
    .find((part) => part.startsWith('A first statement'));
  const [install, serve, ...steps] = stepsOf(String(section));
  expect(install?.commands).toContain('npm install --global .');
  expect(serve?.commands).toMatch(/^cairn serve\b/);
  const own = steps.filter(({ commands }) => !commands.startsWith('curl'));
  expect(own).toHaveLength(2);
  for (const step of own) await run(step, { folder: folder.path, env: service.env });
});
