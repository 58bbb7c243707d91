import { setTimeout } from 'node:timers/promises';

/** Runs work immediately and then after each pause, until disposed of. Errors are ignored. */
export function repeat(everyMs: number, work: () => Promise<void>): Disposable {
  const stop = new AbortController();
  const { signal } = stop;
  void (async () => {
    while (!signal.aborted) {
      await work().catch(() => {});
      await setTimeout(everyMs, undefined, { signal, ref: false }).catch(() => {});
    }
  })();
  return { [Symbol.dispose]: () => stop.abort() };
}
