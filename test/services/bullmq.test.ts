import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { BullQueue, type BullQueueOptions } from '../../queues/bullmq.ts';
import type { JobRef } from '../../src/domain/jobs/jobs.ts';
import { jobQueueContract } from '../contract/job-queue.ts';
import { describeRedis, newKeys, removeKeys } from '../queues/redis.ts';

let keys: ReturnType<typeof newKeys>;
let last = 0;

/** A queue whose keys go when the suite is over. */
async function opened(more: Partial<BullQueueOptions> = {}): Promise<BullQueue> {
  const prefix = more.prefix ?? `${keys.prefix}:${++last}`;
  const queue = await BullQueue.open({
    url: keys.url,
    concurrency: 1,
    onError: () => undefined,
    ...more,
    prefix,
  });
  onTestFinished(async () => await queue[Symbol.asyncDispose]());
  return queue;
}

const newJob = (): JobRef => ({ kind: 'manifest-export', id: randomUUID() });

describeRedis('the queue in Redis', () => {
  beforeAll(() => {
    keys = newKeys();
  });
  afterAll(async () => await removeKeys(keys));

  jobQueueContract(async (options) => await opened(options));

  test('brings a job to one process, whoever has queued it', async () => {
    const prefix = `${keys.prefix}:shared`;
    const [producer, one, two] = [
      await opened({ prefix }),
      await opened({ prefix }),
      await opened({ prefix }),
    ];
    const seen: string[] = [];
    for (const queue of [one, two]) queue.work(async ({ id }) => void seen.push(id));
    const jobs = Array.from({ length: 20 }, newJob);
    for (const job of jobs) await producer.enqueue(job);
    await expect.poll(() => seen.length).toBeGreaterThanOrEqual(20);
    expect(seen.toSorted()).toEqual(jobs.map(({ id }) => id).toSorted());
  });

  test('takes a job again that a Redis has lost which came back empty', async () => {
    const prefix = `${keys.prefix}:empty`;
    const queue = await opened({ prefix });
    const job = newJob();
    await queue.enqueue(job);
    await removeKeys({ url: keys.url, prefix });
    const seen: string[] = [];
    queue.work(async ({ id }) => void seen.push(id));
    await queue.enqueue(job);
    await expect.poll(() => seen).toEqual([job.id]);
  });

  test('says what Redis does when its memory is full', async () => {
    expect(await (await opened()).evictionPolicy()).toBe('noeviction');
  });

  test('is not opened without a Redis, and never says its password', async () => {
    const url = 'redis://:s3cret@127.0.0.1:9';
    const error: unknown = await opened({ url }).catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(Error);
    expect(String(error)).not.toContain('s3cret');
  });
});
