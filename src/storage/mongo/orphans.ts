import { setTimeout } from 'node:timers/promises';

const everyMs = 3_600_000;

/**
 * Takes away what was left behind where a process ended in the middle of its work: at the start, then hourly. All
 * processes do so, and none is in the way of another. A sweep that fails goes on the next time.
 */
export function startSweeping(sweeps: readonly (() => Promise<void>)[]): Disposable {
  const stop = new AbortController();
  void sweepUntil(stop.signal, sweeps);
  return { [Symbol.dispose]: () => stop.abort() };
}

async function sweepUntil(signal: AbortSignal, sweeps: readonly (() => Promise<void>)[]): Promise<void> {
  while (!signal.aborted) {
    for (const sweep of sweeps) await sweep().catch(() => {});
    await setTimeout(everyMs, undefined, { signal, ref: false }).catch(() => {});
  }
}
