import { repeatingDeadlocks } from './deadlocks.ts';

/** The last write of each key that is going on in this process. */
const turns = new Map<string, Promise<unknown>>();

/**
 * Does a write that a unique index refuses to all but the first. In this process writes of one key follow each other:
 * servers that lock what they check let such writes wait for each other in a circle, and give them up one by one.
 * @param key undefined for a write that no unique index refuses.
 */
export async function writeUnique<Result>(
  key: string | undefined,
  write: () => Promise<Result>,
): Promise<Result> {
  if (key === undefined) return await repeatingDeadlocks(write);
  const turn = afterwards(turns.get(key), () => repeatingDeadlocks(write));
  turns.set(key, turn);
  try {
    return await turn;
  } finally {
    if (turns.get(key) === turn) turns.delete(key);
  }
}

async function afterwards<Result>(
  before: Promise<unknown> | undefined,
  write: () => Promise<Result>,
): Promise<Result> {
  await before?.catch(() => undefined);
  return await write();
}
