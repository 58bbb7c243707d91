import { once } from 'node:events';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { didStatements, ndjson } from '../builders/statements.ts';
import { openGate } from '../cli/gate.ts';
import { temporaryFolder } from '../temporary-folder.ts';
import { listeningUrl, runCairn, spawnCairn } from './spawn-cairn.ts';

describe('the process of a command', () => {
  test.each([
    [['--version'], 0],
    [['nonsense'], 2],
    [['get', 'bafkr4ideg6z2yocgkez77nr3outtvdnvjdcvqrs5phnqh7jvtrwnlpm5qu'], 3],
  ])('%j exits with %i', async (args, code) => {
    expect(await runCairn(args, { env: { CAIRN_URL: 'http://127.0.0.1:9' } })).toMatchObject({ code });
  });

  test.each(['SIGINT', 'SIGTERM'] as const)('%s stops a service with exit code 0', async (signal) => {
    using folder = temporaryFolder();
    const env = { CAIRN_WORKERS: '1', CAIRN_DATA_DIR: join(folder.path, 'data') };
    using running = spawnCairn(['serve', '--port', '0'], { env });
    await listeningUrl(running.child.stderr, running.done);
    running.child.kill(signal);
    expect((await running.done).code).toBe(0);
  });

  test('SIGUSR1 does not open the inspector', async () => {
    using folder = temporaryFolder();
    const env = { CAIRN_WORKERS: '1', CAIRN_DATA_DIR: join(folder.path, 'data') };
    using running = spawnCairn(['serve', '--port', '0'], { env });
    await listeningUrl(running.child.stderr, running.done);
    running.child.kill('SIGUSR1');
    running.child.kill('SIGTERM');
    expect(await running.done).toMatchObject({ code: 0, stderr: expect.not.stringContaining('Debugger') });
  });

  test('finishes running requests on the first SIGINT and ends at once on the second', async () => {
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
});
