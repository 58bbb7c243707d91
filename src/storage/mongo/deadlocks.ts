import { isDeadlock } from './errors.ts';

const deadlocksBorne = 20;

/** Repeats a write that was given up because others waited for it. It must be one that can be repeated. */
export async function repeatingDeadlocks<Result>(write: () => Promise<Result>): Promise<Result> {
  for (let left = deadlocksBorne; ; left -= 1) {
    try {
      return await write();
    } catch (error) {
      if (!isDeadlock(error) || left === 0) throw error;
    }
  }
}
