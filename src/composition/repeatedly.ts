import { setTimeout as delay } from 'node:timers/promises';

/** Runs `work` now and then at intervals, never twice at once, until disposed of. */
export function repeatedly(everyMs: number, work: () => Promise<void>): AsyncDisposable {
  const end = new AbortController();
  const run = async () => {
    while (!end.signal.aborted) {
      await work();
      await delay(everyMs, undefined, { signal: end.signal, ref: false }).catch(() => undefined);
    }
  };
  const running = run();
  return {
    async [Symbol.asyncDispose]() {
      end.abort();
      await running;
    },
  };
}
