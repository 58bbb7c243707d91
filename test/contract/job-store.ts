import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { RecordStore } from '../../src/domain/collections/collection.ts';
import { type NewJob, unbegunJob } from '../../src/domain/jobs/job-records.ts';
import type { JobOwner } from '../../src/domain/jobs/jobs.ts';
import { jobsOf } from './nouns.ts';

const hour = 3_600_000;
const never = 0;

/** What the domain does with jobs, in every store. */
export function jobStoreContract(open: () => Promise<RecordStore & AsyncDisposable>): void {
  describe('jobs', () => {
    let stores: RecordStore & AsyncDisposable;
    let jobs: ReturnType<typeof jobsOf>;

    beforeAll(async () => {
      stores = await open();
      jobs = jobsOf(stores);
    });
    afterAll(async () => {
      await stores[Symbol.asyncDispose]();
    });

    const newOwner = (): JobOwner => ({ issuer: 'https://issuer.example', subject: randomUUID() });

    const newJob = (more: Partial<NewJob> = {}): NewJob => ({
      id: randomUUID(),
      kind: 'manifest-export',
      owner: newOwner(),
      request: { graphIds: ['a', 'b'], nothing: null, text: 'ä' },
      createdAt: 5,
      ...more,
    });

    async function added(more: Partial<NewJob> = {}): Promise<NewJob> {
      const job = newJob(more);
      await jobs.add(job);
      return job;
    }

    const claim = (id: string, runner: string, now: number, silentSince = never) =>
      jobs.claim(id, { runner, now, silentSince });

    test('keeps a job as it was added, waiting', async () => {
      const job = await added();
      expect(await jobs.get(job.id)).toEqual({
        ...job,
        workKey: null,
        traceparent: null,
        state: 'waiting',
        progress: null,
        attempts: 0,
        runner: null,
        heardAt: null,
        finishedAt: null,
        expiresAt: null,
        failure: null,
      });
      expect(await jobs.get(randomUUID())).toBeUndefined();
    });

    test('gives a job to one of twenty runners that claim it at once', async () => {
      const { id } = await added();
      const claims = await Promise.all(Array.from({ length: 20 }, (_, at) => claim(id, `runner ${at}`, 10)));
      const taken = claims.filter((job) => job !== undefined);
      expect(taken).toEqual([expect.objectContaining({ id, state: 'running', attempts: 1 })]);
      expect(await claim(randomUUID(), 'runner', 10)).toBeUndefined();
    });

    test('gives the job of a silent runner to another, and then accepts only its reports', async () => {
      const { id } = await added();
      await claim(id, 'first', 100);
      await jobs.report(id, { runner: 'first', now: 200, progress: { at: 1 } });
      expect(await claim(id, 'second', 300, 200)).toBeUndefined();
      expect(await claim(id, 'second', 300, 201)).toMatchObject({ attempts: 2, progress: { at: 1 } });

      expect(await jobs.report(id, { runner: 'first', now: 301, progress: { at: 9 } })).toBe(false);
      const outcome = { state: 'done', progress: { at: 9 }, finishedAt: 302, expiresAt: 303 } as const;
      expect(await jobs.finish(id, { runner: 'first', outcome })).toBeUndefined();
      expect(await jobs.report(id, { runner: 'second', now: 304, progress: { at: 2 } })).toBe(true);
      expect(await jobs.get(id)).toMatchObject({ state: 'running', progress: { at: 2 } });
    });

    test('finishes a job once, with its result', async () => {
      const { id } = await added();
      await claim(id, 'runner', 10);
      const outcome = { state: 'done', progress: { all: [1] }, finishedAt: 20, expiresAt: 30 } as const;
      expect(await jobs.finish(id, { runner: 'runner', outcome })).toMatchObject({ state: outcome.state });
      expect(await jobs.get(id)).toMatchObject({ ...outcome, failure: null });
      expect(await jobs.finish(id, { runner: 'runner', outcome })).toBeUndefined();
      expect(await claim(id, 'other', 1_000, 1_000)).toBeUndefined();
    });

    test('keeps the failure of an attempt and its progress', async () => {
      const { id } = await added();
      const failure = { code: 'unavailable', message: 'Not now.' } as const;
      await claim(id, 'one', 10);
      await jobs.report(id, { runner: 'one', now: 11, progress: { at: 1 } });
      await jobs.finish(id, { runner: 'one', outcome: { state: 'waiting', failure } });
      expect(await jobs.get(id)).toMatchObject({
        state: 'waiting',
        failure,
        progress: { at: 1 },
        finishedAt: null,
      });

      expect(await claim(id, 'two', 12)).toMatchObject({ attempts: 2 });
      const outcome = { state: 'failed', failure, finishedAt: 20, expiresAt: 30 } as const;
      expect(await jobs.finish(id, { runner: 'two', outcome })).toMatchObject({ state: outcome.state });
      expect(await jobs.get(id)).toMatchObject({ ...outcome, attempts: 2 });
    });

    test('are counted by state for each caller', async () => {
      const owner = newOwner();
      const [one, two] = [await added({ owner }), await added({ owner })];
      await added({ owner: { ...owner, issuer: 'https://other.example' } });
      const counts = async () => {
        const totals = await jobs.records.totals('byOwner', [owner.issuer, owner.subject], 'attempts');
        return Object.fromEntries(totals.entries().map(([state, { count }]) => [state, count]));
      };
      expect(await counts()).toEqual({ waiting: 2 });
      await claim(one.id, 'runner', 10);
      expect(await counts()).toEqual({ running: 1, waiting: 1 });
      const outcome = { state: 'done', progress: {}, finishedAt: 20, expiresAt: 30 } as const;
      await jobs.finish(one.id, { runner: 'runner', outcome });
      expect(await counts()).toEqual({ done: 1, waiting: 1 });
      await jobs.remove(two.id);
      expect(await counts()).toEqual({ done: 1 });
    });

    test('is found by the key of its work until it has begun', async () => {
      const workKey = randomUUID();
      const found = async () => (await unbegunJob(jobs.records, workKey))?.id;
      expect(await found()).toBeUndefined();
      const { id } = await added({ workKey });
      expect(await found()).toBe(id);
      await claim(id, 'runner', 10);
      expect(await found()).toBeUndefined();
      await jobs.finish(id, { runner: 'runner', outcome: { state: 'waiting', failure: null } });
      expect(await found()).toBeUndefined();
    });

    test('is one of twenty for the same work that are added at once', async () => {
      const workKey = randomUUID();
      const all = await Promise.all(Array.from({ length: 20 }, () => jobs.add(newJob({ workKey }))));
      const [job, ...others] = all.filter((each) => each !== undefined);
      expect(others).toEqual([]);
      expect(await unbegunJob(jobs.records, workKey)).toEqual(job);
      await claim(job?.id ?? '', 'runner', 10);
      expect(await jobs.add(newJob({ workKey }))).toBeDefined();
    });

    test('gives up its key if a process of an older version has begun it', async () => {
      const workKey = randomUUID();
      const { id } = await added({ workKey });
      await jobs.records.update(id, {}, { state: 'running', runner: 'old', heardAt: 10 });
      expect(await unbegunJob(jobs.records, workKey)).toBeUndefined();
      expect(await jobs.add(newJob({ workKey }))).toBeDefined();
    });

    test('a removed job is gone, also for its runner', async () => {
      const { id } = await added();
      await claim(id, 'runner', 10);
      expect(await jobs.remove(id)).toBe(true);
      expect(await jobs.remove(id)).toBe(false);
      expect(await jobs.get(id)).toBeUndefined();
      expect(await jobs.report(id, { runner: 'runner', now: 11, progress: {} })).toBe(false);
      expect((await jobs.due(1_000, 1_000)).some((job) => job.id === id)).toBe(false);
    });

    test('releases the jobs of silent runners, oldest first', async () => {
      await using other = await open();
      const queue = jobsOf(other);
      const [one, two, busy] = [randomUUID(), randomUUID(), randomUUID()];
      for (const [at, id] of [one, two, busy].entries()) {
        const owner = newOwner();
        await queue.add({ id, kind: 'manifest-export', owner, request: {}, createdAt: hour + at });
      }
      for (const id of [two, one]) await queue.claim(id, { runner: 'dead', now: 100, silentSince: never });
      await queue.claim(busy, { runner: 'alive', now: 200, silentSince: never });
      const released = [one, two].map((id) => ({ id, kind: 'manifest-export' }));
      expect(await queue.release(150)).toEqual(released);
      expect(await queue.get(one)).toMatchObject({ state: 'waiting', runner: null, attempts: 1 });
      expect(await queue.get(busy)).toMatchObject({ state: 'running', runner: 'alive' });
      expect(await queue.report(one, { runner: 'dead', now: 300, progress: {} })).toBe(false);
      expect(await queue.release(150)).toEqual([]);
    });

    test('lists due jobs, oldest first', async () => {
      await using other = await open();
      const queue = jobsOf(other);
      const ids = Array.from({ length: 5 }, () => randomUUID());
      for (const [at, id] of ids.entries())
        await queue.add({
          id,
          kind: 'manifest-export',
          owner: newOwner(),
          request: {},
          createdAt: hour + at,
        });
      const [silent, busy, done, ...waiting] = ids as [string, string, string, string, string];
      await queue.claim(silent, { runner: 'a', now: 100, silentSince: never });
      await queue.claim(busy, { runner: 'b', now: 200, silentSince: never });
      await queue.claim(done, { runner: 'c', now: 100, silentSince: never });
      const outcome = { state: 'done', progress: {}, finishedAt: 20, expiresAt: 1_000 } as const;
      await queue.finish(done, { runner: 'c', outcome });

      const idsOf = (refs: readonly { readonly id: string }[]) => refs.map(({ id }) => id);
      expect(idsOf(await queue.due(150, 9))).toEqual([silent, ...waiting]);
      expect(await queue.due(150, 2)).toEqual([
        { id: silent, kind: 'manifest-export' },
        { id: waiting[0], kind: 'manifest-export' },
      ]);
      await queue.removeExpired(999);
      expect(await queue.get(done)).toBeDefined();
      await queue.removeExpired(1_000);
      expect(await queue.get(done)).toBeUndefined();
      for (const id of [silent, busy, ...waiting]) expect(await queue.get(id)).toBeDefined();
    });
  });
}
