import { join } from 'node:path';
import { expect, test } from 'vitest';
import { temporaryFolder } from '../temporary-folder.ts';
import { cairn } from './run-cairn.ts';

test('setup creates the store and names what is ready, also the second time', async () => {
  using folder = temporaryFolder();
  const env = { CAIRN_DATA_DIR: join(folder.path, 'data') };
  const first = await cairn(['setup'], { env });
  expect(first).toMatchObject({ code: 0, stderr: '' });
  expect(first.stdout).toMatch(
    /^store {2}ready .*data\njobs {3}ready {2}in each process\nkey {4}ready {2}did:key:z.*\ndata {3}ready {2}up to date/,
  );
  expect(await cairn(['setup'], { env })).toEqual(first);
});

test('setup exits with 3 when a server does not answer, and 2 when settings contradict each other', async () => {
  using folder = temporaryFolder();
  const env = {
    CAIRN_DATA_DIR: folder.path,
    CAIRN_REDIS_URL: 'redis://127.0.0.1:9',
    CAIRN_START_WAIT: '10ms',
  };
  expect(await cairn(['setup'], { env })).toMatchObject({
    code: 3,
    stderr: expect.stringContaining('CAIRN_REDIS_URL'),
  });
  expect(await cairn(['setup'], { env: { CAIRN_JOBS: 'bullmq' } })).toMatchObject({ code: 2 });
});
