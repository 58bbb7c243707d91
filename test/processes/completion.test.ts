import { execFileSync, spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { temporaryFolder } from '../temporary-folder.ts';
import { runCairn } from './spawn-cairn.ts';

/** Lines as they are typed, each with what completes its last word. */
const lines: readonly (readonly [string, readonly string[]])[] = [
  ['cairn rec', ['record']],
  ['cairn agents re', ['register', 'restore', 'revoke']],
  ['cairn agents list --st', ['--state']],
  ['cairn agents list --state ', ['active', 'revoked']],
  ['cairn agents list --state active --se', ['--search']],
  ['cairn serve c', ['control-plane']],
  ['cairn completion ', ['bash', 'fish', 'zsh']],
];

async function scriptIn(folder: string, shell: string): Promise<string> {
  const { code, stdout, stderr } = await runCairn(['completion', shell]);
  expect(code, stderr).toBe(0);
  const file = join(folder, `cairn.${shell}`);
  writeFileSync(file, stdout);
  return file;
}

test('bash completes commands, options and choices, and leaves files to itself', async () => {
  using folder = temporaryFolder();
  const script = `source ${await scriptIn(folder.path, 'bash')}
complete -p cairn
try() { COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _cairn; echo "$(printf '%s\\n' "\${COMPREPLY[@]}" | sort | tr '\\n' ' ')"; }
${lines.map(([line]) => `try ${line.endsWith(' ') ? `${line}''` : line}`).join('\n')}
try cairn record --input ''
try cairn record --name x -- --`;
  const [registered, ...told] = execFileSync('bash', ['-c', script], { encoding: 'utf8' })
    .trimEnd()
    .split('\n');
  expect(registered).toBe('complete -o default -F _cairn cairn');
  const expected = lines.map(([line, words]) => [line, words]);
  expect(lines.map(([line], at) => [line, told[at]?.trim().split(' ')])).toEqual(expected);
  expect(told.slice(lines.length).join('').trim()).toBe('');
});

const hasFish = spawnSync('fish', ['--version']).status === 0;

test.skipIf(!hasFish)('fish completes the same', async () => {
  using folder = temporaryFolder();
  const file = await scriptIn(folder.path, 'fish');
  const env = { HOME: folder.path, PATH: String(process.env.PATH) };
  for (const [line, words] of lines) {
    const command = `source ${file}; complete -C '${line}' | cut -f1`;
    const told = execFileSync('fish', ['-c', command], { encoding: 'utf8', env });
    expect([line, told.trim().split('\n').toSorted()]).toEqual([line, words]);
  }
});

test('zsh runs the script of bash', async () => {
  using folder = temporaryFolder();
  const [bash, zsh] = [await runCairn(['completion', 'bash']), await runCairn(['completion', 'zsh'])];
  expect(zsh.stdout.endsWith(bash.stdout)).toBe(true);
  const hasZsh = spawnSync('zsh', ['--version']).status === 0;
  if (hasZsh) execFileSync('zsh', ['-n', await scriptIn(folder.path, 'zsh')]);
});
