import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest';
import { z } from 'zod';
import { ServiceError } from '../../src/domain/errors.ts';
import { type JobKind, JobLost, jobRunner, silentMs } from '../../src/domain/jobs/job-runner.ts';
import type { Job, JobRef } from '../../src/domain/jobs/jobs.ts';
import { jobsOf } from '../contract/nouns.ts';
import { openTemporary } from '../storage/temporary-folder.ts';

const kind = 'manifest-export';
const owner = { issuer: 'i', subject: 's' };
const hour = 3_600_000;

let store: Awaited<ReturnType<typeof openTemporary>>;
beforeAll(async () => {
  store = await openTemporary();
});
afterAll(async () => await store[Symbol.asyncDispose]());

/** A runner of one job on real records, with a clock that stands still unless moved. */
async function useRunner(run: JobKind['run']) {
  const jobs = jobsOf(store);
  const clock = { now: Date.UTC(2026, 0, 1) };
  const failures: unknown[] = [];
  const handler = jobRunner({
    jobs: jobs.records,
    kinds: [{ name: kind, request: z.unknown(), keptFor: { done: 24 * hour, failed: 7 * 24 * hour }, run }],
    now: () => new Date(clock.now),
    newId: randomUUID,
    onFailure: (_job, error) => void failures.push(error),
  });
  const job: JobRef = { kind, id: randomUUID() };
  await jobs.add({ ...job, owner, request: { what: 1 }, createdAt: clock.now });
  const stop = new AbortController();
  return { jobs, job, handler, clock, failures, stop, run: () => handler(job, stop.signal) };
}

type Report = Parameters<JobKind['run']>[1];

describe('the job runner', () => {
  test('records the result and its expiry', async () => {
    const seen: Job[] = [];
    const runner = await useRunner(async (job) => {
      seen.push(job);
      return { all: true };
    });
    await runner.run();
    const { now } = runner.clock;
    expect(await runner.jobs.get(runner.job.id)).toMatchObject({
      state: 'done',
      progress: { all: true },
      finishedAt: now,
      expiresAt: now + 24 * hour,
    });
    await runner.run();
    expect(seen).toEqual([expect.objectContaining({ id: runner.job.id, request: { what: 1 }, attempts: 1 })]);
  });

  test('records progress from half a second on, at most twice a second', async () => {
    const shown: unknown[] = [];
    const runner = await useRunner(async (_job, report) => {
      for (const at of [0, 1, 2, 3]) {
        await report({ at });
        shown.push((await runner.jobs.get(runner.job.id))?.progress);
        runner.clock.now += 250;
      }
      return {};
    });
    await runner.run();
    expect(shown).toEqual([null, null, { at: 2 }, { at: 2 }]);
  });

  test('keeps a permanent failure for a week', async () => {
    const runner = await useRunner(async () => {
      throw new ServiceError('not_found', 'The graph is gone.');
    });
    await runner.run();
    const { now } = runner.clock;
    expect(await runner.jobs.get(runner.job.id)).toMatchObject({
      state: 'failed',
      failure: { code: 'not_found', message: 'The graph is gone.' },
      expiresAt: now + 7 * 24 * hour,
    });
  });

  test('retries a temporary failure up to five times and does not reveal internal errors', async () => {
    const runner = await useRunner(async () => {
      throw new Error('secret');
    });
    for (let attempt = 1; attempt < 5; attempt += 1) {
      await expect(runner.run()).rejects.toThrow('secret');
      const failure = { code: 'internal', message: expect.not.stringContaining('secret') };
      expect(await runner.jobs.get(runner.job.id)).toMatchObject({
        state: 'waiting',
        attempts: attempt,
        failure,
      });
    }
    await runner.run();
    expect(await runner.jobs.get(runner.job.id)).toMatchObject({ state: 'failed', attempts: 5 });
    expect(runner.failures).toHaveLength(5);
  });

  test('fails a job that five processes did not survive', async () => {
    const runner = await useRunner(async () => expect.fail('is not run'));
    for (let attempt = 1; attempt <= 5; attempt += 1) {
      runner.clock.now += silentMs + 1;
      const { now } = runner.clock;
      await runner.jobs.claim(runner.job.id, { runner: `${attempt}`, now, silentSince: now - silentMs });
    }
    await runner.run();
    expect((await runner.jobs.get(runner.job.id))?.state).toBe('running');
    runner.clock.now += silentMs + 1;
    await runner.run();
    expect(await runner.jobs.get(runner.job.id)).toMatchObject({
      state: 'failed',
      failure: { message: expect.stringContaining('interrupted 5 times') },
    });
  });

  test('keeps a job whose work reports nothing', async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
    onTestFinished(() => void vi.useRealTimers());
    const heardAt = async () => (await runner.jobs.get(runner.job.id))?.heardAt;
    const runner = await useRunner(async ({ id }) => {
      runner.clock.now += silentMs;
      vi.advanceTimersByTime(silentMs);
      await expect.poll(heardAt).toBe(runner.clock.now);
      const { now } = runner.clock;
      const claim = { runner: 'other', now: now + 1, silentSince: now + 1 - silentMs };
      expect(await runner.jobs.claim(id, claim)).toBeUndefined();
      return {};
    });
    await runner.run();
    expect(await runner.jobs.get(runner.job.id)).toMatchObject({ state: 'done' });
    expect(vi.getTimerCount()).toBe(0);
  });

  test('stops when the job is removed and leaves no record', async () => {
    const runner = await useRunner(async (job, report) => {
      await report({});
      await runner.jobs.remove(job.id);
      runner.clock.now += hour;
      await expect(report({})).rejects.toThrow(JobLost);
      await report({});
    });
    await runner.run();
    expect(await runner.jobs.get(runner.job.id)).toBeUndefined();
    expect(runner.failures).toEqual([]);
  });

  test('writes nothing about a job that another runner took over', async () => {
    const runner = await useRunner(async (job) => {
      const claim = { runner: 'other', now: runner.clock.now + hour, silentSince: runner.clock.now + 1 };
      await runner.jobs.claim(job.id, claim);
      return { mine: true };
    });
    await runner.run();
    expect(await runner.jobs.get(runner.job.id)).toMatchObject({ state: 'running', progress: null });
  });

  test('leaves a job of an unknown kind to other processes', async () => {
    const { jobs, job, handler, stop } = await useRunner(async () => null);
    const unknown = handler({ ...job, kind: 'of-tomorrow' }, stop.signal);
    await expect(unknown).rejects.toThrow('This process cannot work on jobs of the kind "of-tomorrow".');
    expect(await jobs.get(job.id)).toMatchObject({ state: 'waiting', attempts: 0 });
  });

  test('returns the job to waiting when the process stops', async () => {
    const work = async (_job: Job, report: Report) => {
      runner.stop.abort(new Error('stopping'));
      await report({});
    };
    const runner = await useRunner(work);
    await expect(runner.run()).rejects.toThrow('stopping');
    expect(await runner.jobs.get(runner.job.id)).toMatchObject({ state: 'waiting', failure: null });
    expect(runner.failures).toEqual([]);
  });
});
