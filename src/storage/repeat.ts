import { setTimeout } from 'node:timers/promises';

/** Does work at once and after each pause, until disposed of. What fails is tried again the next time. */
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
