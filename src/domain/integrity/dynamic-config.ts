import { z } from 'zod';

/** Limits on concurrent blob fetches and writes of a process. They can change while it runs. */
export interface RunTimeLimits {
  readonly blobStoreFetchConcurrency: number;
  readonly blobStoreWriteConcurrency: number;
}

export const runTimeLimitBounds = { min: 1, max: 4_096 } as const;

export const defaultRunTimeLimits: RunTimeLimits = {
  blobStoreFetchConcurrency: 64,
  blobStoreWriteConcurrency: 32,
};

const limit = z.int().min(runTimeLimitBounds.min).max(runTimeLimitBounds.max);

export const runTimeLimitsShape = z.object({
  blobStoreFetchConcurrency: limit,
  blobStoreWriteConcurrency: limit,
});
