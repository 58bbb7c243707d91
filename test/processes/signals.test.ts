import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { openGate } from '../cli/gate.ts';
import { didStatements, ndjson } from '../cli/statements.ts';
import { temporaryFolder } from '../temporary-folder.ts';
import { listeningUrl, runCairn, spawnCairn, spawnService } from './spawn-cairn.ts';

describe('the process of a command', () => {
  test.each([
    [['--version'], 0],
    [['nonsense'], 2],
    [['get', 'bafkr4ideg6z2yocgkez77nr3outtvdnvjdcvqrs5phnqh7jvtrwnlpm5qu'], 3],
  ])('ends %j with %i', async (args, code) => {
    expect(await runCairn(args, { env: { CAIRN_URL: 'http://127.0.0.1:9' } })).toMatchObject({ code });
  });

  test.each(['SIGINT', 'SIGTERM'] as const)('stops a service on %s, with 0', async (signal) => {
    using folder = temporaryFolder();
    const env = { CAIRN_WORKERS: '1', CAIRN_DATA_DIR: join(folder.path, 'data') };
    using running = spawnCairn(['serve', '--port', '0'], { env });
    await listeningUrl(running.child.stderr, running.done);
    running.child.kill(signal);
    expect((await running.done).code).toBe(0);
  });

  test('finishes its requests on the first SIGINT, and ends at once on the second', async () => {
    const asked = Promise.withResolvers<void>();
    await using gate = await openGate('', () => {
      asked.resolve();
      return 'never';
    });
    const env = { CAIRN_URL: gate.url };
    using running = spawnCairn(['ingest', '-'], { env, input: ndjson(didStatements(1)) });
    await asked.promise;
    const told = once(running.child.stderr, 'data');
    running.child.kill('SIGINT');
    expect(String((await told)[0])).toContain('Stopping');
    expect(running.child.exitCode).toBeNull();
    running.child.kill('SIGINT');
    expect(await running.done).toMatchObject({ code: null });
  });

  test.runIf(process.platform === 'linux').each([
    [{}, 'MALLOC_ARENA_MAX=2', ['--max-semi-space-size=8', '--heap-growing-percent=30']],
    [
      { MALLOC_ARENA_MAX: '5', NODE_OPTIONS: '--max-semi-space-size=16' },
      'MALLOC_ARENA_MAX=5',
      ['--heap-growing-percent=30'],
    ],
  ])('begins with little memory, unless %j says otherwise', async (env, arenas, options) => {
    await using service = await spawnService(env);
    const [variables, words] = ['environ', 'cmdline'].map((name) =>
      readFileSync(`/proc/${service.pid}/${name}`, 'utf8').split('\0'),
    );
    expect(variables).toContain(arenas);
    expect(words?.filter((word) => /^--(?:max-semi|heap-grow)/.test(word))).toEqual(options);
  });
});
