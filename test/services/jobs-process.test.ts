import { createInterface } from 'node:readline';
import { expect, onTestFinished, test } from 'vitest';
import { newServiceStore } from '../http/service-store.ts';
import { spawnCairn } from '../processes/spawn-cairn.ts';
import { describeMongo } from '../storage/mongo/database.ts';

describeMongo('a process that works on jobs', () => {
  test('ends with 0 after SIGTERM', async () => {
    const store = await newServiceStore('mongodb');
    onTestFinished(() => store[Symbol.asyncDispose]());
    using running = spawnCairn(['serve', 'jobs'], { env: { ...store.environment, CAIRN_WORKERS: '1' } });
    createInterface(running.child.stderr).on('line', (line) => {
      if (line.includes('works on jobs')) running.child.kill('SIGTERM');
    });
    expect(await running.done).toMatchObject({ code: 0, stderr: expect.stringContaining('Stopping') });
  });
});
