import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { auditRecords } from '../../src/domain/audit-log/audit-log.ts';
import { openEmbedded } from '../../src/storage/open.ts';
import { usersOf } from '../contract/nouns.ts';
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

test('setup makes an administrator of somebody who has signed in, and records that', async () => {
  using folder = temporaryFolder();
  const env = { CAIRN_DATA_DIR: join(folder.path, 'data') };
  const appoint = async () => await cairn(['setup', '--administrator', 'ada@example.com'], { env });
  expect(await appoint()).toMatchObject({ code: 2, stderr: expect.stringContaining('Sign in once') });
  await using store = await openEmbedded(env.CAIRN_DATA_DIR);
  const identity = { issuer: 'https://idp.example', subject: 'ada', name: null };
  const proven = { email: 'ada@example.com', emailVerified: true };
  const { id } = await usersOf(store).logIn(
    { ...identity, ...proven },
    { newId: randomUUID(), now: Date.now() },
  );
  await store[Symbol.asyncDispose]();
  const done = await appoint();
  expect(done.stdout).toContain('admin  ready  ada@example.com, who is ada at https://idp.example');
  await using again = await openEmbedded(env.CAIRN_DATA_DIR);
  expect(await usersOf(again).get(id)).toMatchObject({ role: 'admin', roleSource: 'override' });
  const { records } = await again.of(auditRecords).page('byTime', [], { after: null, limit: 10 });
  expect(records.map(({ target, outcome }) => [target, outcome])).toEqual([
    [id, 'done'],
    [null, 'refused'],
  ]);
});
