import { repeat } from '../repeat.ts';

const everyMs = 3_600_000;

/**
 * Removes what processes left behind that ended in the middle of their work: at the start, then hourly. All processes
 * do so, and none is in the way of another.
 */
export function startSweeping(sweeps: readonly (() => Promise<void>)[]): Disposable {
  return repeat(everyMs, async () => {
    for (const sweep of sweeps) await sweep().catch(() => {});
  });
}
