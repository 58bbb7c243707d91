import { randomUUID } from 'node:crypto';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { JobQueue, JobRef } from '../../src/domain/jobs/jobs.ts';

interface QueueOptions {
  readonly concurrency: number;
  /** Between a failed attempt and the next one. */
  readonly backOffMs: number;
}

/** What every JobQueue does. @param open a queue that is empty. */
export function jobQueueContract(open: (options: QueueOptions) => Promise<JobQueue> | JobQueue): void {
  describe('a job queue', () => {
    async function opened(concurrency: number): Promise<JobQueue> {
      const queue = await open({ concurrency, backOffMs: 5 });
      onTestFinished(async () => await queue[Symbol.asyncDispose]());
      return queue;
    }
    const newJob = (): JobRef => ({ kind: 'manifest-export', id: randomUUID() });

    test('delivers every job to the handler, also earlier ones', async () => {
      const queue = await opened(3);
      const [early, late] = [newJob(), newJob()];
      await queue.enqueue(early);
      const seen: JobRef[] = [];
      queue.work(async (job) => void seen.push(job));
      await queue.enqueue(late);
      await expect.poll(() => seen).toHaveLength(2);
      expect(seen).toEqual(expect.arrayContaining([early, late]));
    });

    test('queues a job once, and accepts it again when it is over', async () => {
      const queue = await opened(1);
      const job = newJob();
      await queue.enqueue(job);
      await queue.enqueue(job);
      const seen: string[] = [];
      queue.work(async ({ id }) => void seen.push(id));
      const next = newJob();
      await queue.enqueue(next);
      await expect.poll(() => seen).toEqual([job.id, next.id]);
      await expect
        .poll(async () => {
          await queue.enqueue(job);
          return seen.filter((id) => id === job.id).length;
        })
        .toBeGreaterThan(1);
    });

    test('delivers the job that was put to the front last before all others', async () => {
      const queue = await opened(1);
      const [waiting, older, oldest] = [newJob(), newJob(), newJob()];
      await queue.enqueue(waiting);
      await queue.enqueue(older, 'front');
      await queue.enqueue(oldest, 'front');
      const seen: JobRef[] = [];
      queue.work(async (job) => void seen.push(job));
      await expect.poll(() => seen).toEqual([oldest, older, waiting]);
    });

    test('runs a few at a time', async () => {
      const queue = await opened(2);
      const gate = Promise.withResolvers<void>();
      let [running, most, done] = [0, 0, 0];
      queue.work(async () => {
        running += 1;
        most = Math.max(most, running);
        await gate.promise;
        running -= 1;
        done += 1;
      });
      for (let at = 0; at < 5; at += 1) await queue.enqueue(newJob());
      await expect.poll(() => running).toBe(2);
      gate.resolve();
      await expect.poll(() => done).toBe(5);
      expect(most).toBe(2);
    });

    test('delivers a failed job again, whatever was thrown', async () => {
      const queue = await opened(1);
      const job = newJob();
      const thrown = [new Error('one'), new TypeError('two')];
      let calls = 0;
      queue.work(async () => {
        calls += 1;
        const error = thrown.shift();
        if (error) throw error;
      });
      await queue.enqueue(job);
      await expect.poll(() => calls).toBe(3);
    });

    test('aborts running jobs when disposed of, waits for them, and starts no more', async () => {
      const queue = await opened(1);
      const begun = Promise.withResolvers<void>();
      const [seen, ended]: [string[], string[]] = [[], []];
      queue.work(async ({ id }, signal) => {
        seen.push(id);
        begun.resolve();
        await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
        await new Promise(setImmediate);
        ended.push(id);
      });
      const job = newJob();
      await queue.enqueue(job);
      await queue.enqueue(newJob());
      await begun.promise;
      await queue[Symbol.asyncDispose]();
      expect(ended).toEqual([job.id]);
      expect(seen).toEqual([job.id]);
    });

    test('when drained, finishes running jobs and starts no more', async () => {
      const queue = await opened(1);
      const [begun, gate] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
      const ended: string[] = [];
      queue.work(async ({ id }, signal) => {
        begun.resolve();
        await gate.promise;
        if (!signal.aborted) ended.push(id);
      });
      const job = newJob();
      await queue.enqueue(job);
      await begun.promise;
      await queue.enqueue(newJob());
      const drained = queue.drain();
      gate.resolve();
      await drained;
      expect(ended).toEqual([job.id]);
      await queue[Symbol.asyncDispose]();
      expect(ended).toEqual([job.id]);
    });

    test('can be disposed of unused', async () => {
      const queue = await opened(1);
      await queue.enqueue(newJob());
      await queue[Symbol.asyncDispose]();
    });
  });
}
