import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { didStatement } from '../builders/statements.ts';
import { temporaryFolder } from '../temporary-folder.ts';
import { commandLine, type Environment, type SpawnedService, spawnService } from './spawn-cairn.ts';

let service: SpawnedService;
beforeAll(async () => {
  service = await spawnService();
});
afterAll(async () => await service[Symbol.asyncDispose]());

/** Runs a shell line in which `"$@"` is the command. Its output is in files of a folder. */
async function inShell(line: string, args: readonly string[], folder: string, env: Environment = {}) {
  const options = { cwd: folder, env: { PATH: process.env.PATH ?? '', ...env } };
  const child = spawn('sh', ['-c', line, 'sh', ...commandLine(args)], { ...options, stdio: 'ignore' });
  await once(child, 'close');
  const left = (name: string) => readFileSync(join(folder, name), 'utf8');
  return { code: Number(left('code')), out: left('out'), err: left('err') };
}

/** More than a pipe holds. */
const manyLines = 5_000;
const badLines = (count: number) =>
  'This is no statement, and is reported as one that is refused.\n'.repeat(count);

describe('output without a reader', () => {
  test('a verification whose reader is gone does not exit with 0', async () => {
    using folder = temporaryFolder();
    writeFileSync(join(folder.path, 'bad.ndjson'), badLines(manyLines));
    const line = '{ "$@" 2> err; echo $? > code; } | head -1 > out';
    const { code, out, err } = await inShell(line, ['verify', 'bad.ndjson'], folder.path);
    expect([code, out, err]).toEqual([141, 'bad.ndjson, line 1: FAILED\n', '']);
  });

  test.runIf(existsSync('/dev/full'))('a full disk is told in a sentence', async () => {
    using folder = temporaryFolder();
    const line = '"$@" > /dev/full 2> err; echo $? > code; : > out';
    const { code, err } = await inShell(line, ['config'], folder.path);
    expect(code).toBe(2);
    expect(err).toMatch(/^Writing to standard output failed: .*\n$/);
  });

  test('a closed standard error does not stop the work', async () => {
    using folder = temporaryFolder();
    const good = JSON.stringify(didStatement('last'));
    const refused = '{"@type":"Nothing"}\n'.repeat(manyLines);
    writeFileSync(join(folder.path, 'mixed.ndjson'), `${refused}${good}\n`);
    const line = '{ "$@" 2>&1 > out; echo $? > code; } | head -1 > err';
    const args = ['ingest', 'mixed.ndjson', '--generate-id', '--batch', '100'];
    const { code, out, err } = await inShell(line, args, folder.path, service.env);
    expect([code, err.split(':')[0]]).toEqual([1, 'line 1']);
    expect(out).toContain(`1 stored, 0 known, ${manyLines} refused`);
  });
});
