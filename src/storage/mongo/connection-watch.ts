import { setTimeout as delay } from 'node:timers/promises';
import { ServiceError } from '../../domain/errors.ts';
import { within } from '../../domain/within.ts';

export interface Watched {
  /** Asks the server over the connections that everybody uses. */
  ping(): Promise<unknown>;
  /** Asks the server over a connection of its own, which is closed again. */
  pingAnew(): Promise<unknown>;
  /** Replaces the connections that everybody uses. */
  reconnect(): Promise<unknown>;
}

export interface ConnectionWatch extends Disposable {
  /** Aborts with a ServiceError when the server answers others, but not this process. */
  readonly failure: AbortSignal;
}

/** After this time without an answer, the connections are replaced. */
const silentMs = 30_000;
const pauseMs = 5_000;

/**
 * Replaces the connections to a server that has not answered for a while, although it answers on a new connection. If that
 * does not help either, the process has to be restarted. While the server answers nobody, there is nothing to do.
 */
export function watchConnection(watched: Watched, times = { silentMs, pauseMs }): ConnectionWatch {
  const failure = new AbortController();
  const stop = new AbortController();
  const { signal } = stop;
  let answeredAt = performance.now();
  let isReplaced = false;

  const succeeds = async (ms: number, work: () => Promise<unknown>) => {
    const done = work().then(() => true);
    return await within(ms, done, () => new Error('No answer.')).catch(() => false);
  };

  async function look(): Promise<void> {
    if (await succeeds(times.silentMs, () => watched.ping())) {
      answeredAt = performance.now();
      isReplaced = false;
      return;
    }
    if (performance.now() - answeredAt < times.silentMs) return;
    if (!(await succeeds(times.silentMs, () => watched.pingAnew()))) return;
    if (isReplaced) {
      const message = 'MongoDB answers on new connections, but not to this process. It has to be restarted.';
      return failure.abort(new ServiceError('unavailable', message));
    }
    await succeeds(times.silentMs, () => watched.reconnect());
    isReplaced = true;
    answeredAt = performance.now();
  }

  void (async () => {
    while (!signal.aborted && !failure.signal.aborted) {
      await look();
      await delay(times.pauseMs, undefined, { signal, ref: false }).catch(() => undefined);
    }
  })();
  return { failure: failure.signal, [Symbol.dispose]: () => stop.abort() };
}
