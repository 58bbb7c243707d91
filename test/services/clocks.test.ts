import { randomUUID } from 'node:crypto';
import { pino } from 'pino';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { InProcessQueue } from '../../queues/in-process.ts';
import { exportKind } from '../../src/domain/integrity/exports/export-records.ts';
import { silentMs } from '../../src/domain/jobs/job-runner.ts';
import { workOnJobs } from '../../src/jobs.ts';
import type { DatabaseAddress } from '../../src/storage/mongo/database.ts';
import { openMongo } from '../../src/storage/open.ts';
import { newKey, signerWith } from '../builders/keys.ts';
import { usePool } from '../builders/statement-pool.ts';
import { jobsOf } from '../contract/nouns.ts';
import { describeMongo, dropDatabase, newDatabase } from '../storage/mongo/database.ts';
import { temporaryFolder } from '../storage/temporary-folder.ts';

const minutes = 60_000;
const signing = { identifier: usePool().identifier, signer: signerWith(newKey()) };
const request = {
  graphIds: null,
  includeContext: false,
  includeBlobs: false,
  form: 'json',
  projects: null,
};

describeMongo('a process with a wrong clock', () => {
  let address: DatabaseAddress;
  beforeEach(() => {
    address = newDatabase();
    vi.useFakeTimers({ toFake: ['Date'] });
  });
  afterEach(async () => {
    vi.useRealTimers();
    await dropDatabase(address);
  });

  test('takes over a job that was abandoned a minute ago, although its clock is behind', async () => {
    await using store = await openMongo(address, await temporaryFolder(), { waitMs: 0, waiting: () => {} });
    const [id, now] = [randomUUID(), store.now().getTime()];
    const owner = { issuer: 'https://issuer.example/', subject: 'ada' };
    await jobsOf(store).add({ id, kind: exportKind, owner, request, createdAt: now });
    await jobsOf(store).claim(id, { runner: 'dead', now: now - silentMs - 1, silentSince: 0 });
    vi.setSystemTime(now - 10 * minutes);
    await using queue = new InProcessQueue({ concurrency: 1 });
    await using _work = workOnJobs(store, queue, {
      ...signing,
      log: pino({ level: 'silent' }),
      maxExportBytes: 1 << 30,
    });
    await expect.poll(async () => (await jobsOf(store).get(id))?.state).toBe('done');
    expect((await jobsOf(store).get(id))?.finishedAt).toBeGreaterThanOrEqual(now);
  });

  test('leaves a running job alone, although its clock is ahead', async () => {
    await using store = await openMongo(address, await temporaryFolder(), { waitMs: 0, waiting: () => {} });
    const [id, other, now] = [randomUUID(), randomUUID(), store.now().getTime()];
    const owner = { issuer: 'https://issuer.example/', subject: 'ada' };
    for (const one of [id, other])
      await jobsOf(store).add({ id: one, kind: exportKind, owner, request, createdAt: now });
    await jobsOf(store).claim(id, { runner: 'alive', now, silentSince: 0 });
    vi.setSystemTime(now + 10 * minutes);
    await using queue = new InProcessQueue({ concurrency: 1 });
    await using _work = workOnJobs(store, queue, {
      ...signing,
      log: pino({ level: 'silent' }),
      maxExportBytes: 1 << 30,
    });
    await expect.poll(async () => (await jobsOf(store).get(other))?.state).toBe('done');
    expect(await jobsOf(store).report(id, { runner: 'alive', now, progress: null })).toBe(true);
  });
});
