import { z } from 'zod';
import { collection, type RecordsOf } from '../collections/collection.ts';

export const runTimeLimitBounds = { min: 1, max: 4_096 } as const;

const limit = z.int().min(runTimeLimitBounds.min).max(runTimeLimitBounds.max);
const name = 'limits';

/** One record; none until somebody has changed a limit. */
export const runTimeLimits = collection('run_time_limits', {
  shape: z.object({
    name: z.literal(name),
    blobStoreFetchConcurrency: limit,
    blobStoreWriteConcurrency: limit,
  }),
  key: 'name',
});

export type StoredLimits = RecordsOf<typeof runTimeLimits>;
/** Limits on concurrent blob fetches and writes of a process. They can change while it runs. */
export type RunTimeLimits = Readonly<Omit<z.output<typeof runTimeLimits.shape>, 'name'>>;

export const defaultRunTimeLimits: RunTimeLimits = {
  blobStoreFetchConcurrency: 64,
  blobStoreWriteConcurrency: 32,
};

export async function readRunTimeLimits(store: StoredLimits): Promise<RunTimeLimits | undefined> {
  const stored = await store.get(name);
  if (!stored) return undefined;
  const { name: _, ...limits } = stored;
  return limits;
}

export async function changeRunTimeLimits(
  store: StoredLimits,
  changes: Partial<RunTimeLimits>,
): Promise<RunTimeLimits> {
  await store.insert([{ name, ...defaultRunTimeLimits }]);
  if (Object.keys(changes).length > 0) await store.update(name, {}, changes);
  return (await readRunTimeLimits(store)) ?? { ...defaultRunTimeLimits, ...changes };
}
