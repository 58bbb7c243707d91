import { z } from 'zod';

/** How many blob fetches and writes run at once in a process; changeable while it runs. */
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

/** Run-time limits as they have to be. */
export const runTimeLimitsShape = z.object({
  blobStoreFetchConcurrency: limit,
  blobStoreWriteConcurrency: limit,
});
