import { randomUUID } from 'node:crypto';
import { pino } from 'pino';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { InProcessQueue } from '../../queues/in-process.ts';
import { exportKind } from '../../src/domain/integrity/exports/export-jobs.ts';
import { silentMs } from '../../src/domain/jobs/job-runner.ts';
import { workOnJobs } from '../../src/jobs.ts';
import { openMongo } from '../../src/storage/mongo/open-mongo.ts';
import { describeMongo, dropDatabase, newDatabase } from '../storage/mongo/database.ts';
import { temporaryFolder } from '../storage/temporary-folder.ts';

const minutes = 60_000;
const request = {
  graphIds: null,
  includeContext: false,
  includeBlobs: false,
  form: 'json',
  projects: null,
};

describeMongo('a process whose clock is wrong', () => {
  const address = newDatabase();
  beforeEach(() => void vi.useFakeTimers({ toFake: ['Date'] }));
  afterEach(async () => {
    vi.useRealTimers();
    await dropDatabase(address);
  });

  test('takes over what another one has left a minute ago, although that is in its future', async () => {
    await using store = await openMongo(address, await temporaryFolder(), { waitMs: 0, waiting: () => {} });
    const [id, now] = [randomUUID(), store.now().getTime()];
    const owner = { issuer: 'https://issuer.example/', subject: 'ada' };
    await store.jobs.add({ id, kind: exportKind, owner, request, createdAt: now });
    await store.jobs.claim(id, { runner: 'dead', now: now - silentMs - 1, silentSince: 0 });
    vi.setSystemTime(now - 10 * minutes);
    await using queue = new InProcessQueue({ concurrency: 1 });
    await using _work = workOnJobs(store, queue, pino({ level: 'silent' }));
    await expect.poll(async () => (await store.jobs.get(id))?.state).toBe('done');
    expect((await store.jobs.get(id))?.finishedAt).toBeGreaterThanOrEqual(now);
  });

  test('leaves alone what another one is working on, although that is long ago for it', async () => {
    await using store = await openMongo(address, await temporaryFolder(), { waitMs: 0, waiting: () => {} });
    const [id, other, now] = [randomUUID(), randomUUID(), store.now().getTime()];
    const owner = { issuer: 'https://issuer.example/', subject: 'ada' };
    for (const one of [id, other])
      await store.jobs.add({ id: one, kind: exportKind, owner, request, createdAt: now });
    await store.jobs.claim(id, { runner: 'alive', now, silentSince: 0 });
    vi.setSystemTime(now + 10 * minutes);
    await using queue = new InProcessQueue({ concurrency: 1 });
    await using _work = workOnJobs(store, queue, pino({ level: 'silent' }));
    await expect.poll(async () => (await store.jobs.get(other))?.state).toBe('done');
    expect(await store.jobs.report(id, { runner: 'alive', now, progress: null })).toBe(true);
  });
});
