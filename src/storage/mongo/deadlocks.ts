import { isDeadlock } from './errors.ts';

const deadlocksRetried = 20;

export async function repeatingDeadlocks<Result>(write: () => Promise<Result>): Promise<Result> {
  for (let left = deadlocksRetried; ; left -= 1) {
    try {
      return await write();
    } catch (error) {
      if (!isDeadlock(error) || left === 0) throw error;
    }
  }
}
