import { ServiceError } from '../../domain/errors.ts';
import type { Load } from '../../domain/semaphore.ts';

/** The part of the limit that one caller may use, so that others always get in. */
const callerShare = 0.75;

/**
 * Limits how many requests run at once. More are refused immediately, so that nothing queues up behind them: a client
 * that repeats a request later is served sooner than one of many that wait.
 */
export class RequestLimit {
  readonly #most: number;
  readonly #mostOfCaller: number;
  #running = 0;
  readonly #runningOf = new Map<string, number>();

  constructor({ maxRequests }: { readonly maxRequests: number }) {
    this.#most = maxRequests;
    this.#mostOfCaller = Math.max(1, Math.floor(maxRequests * callerShare));
  }

  /** Nobody waits for this limit. */
  load(): Load {
    return { limit: this.#most, running: this.#running, waiting: 0 };
  }

  /** Disposing ends the request. @throws ServiceError `unavailable`. */
  enter(caller: string): Disposable {
    const own = this.#runningOf.get(caller) ?? 0;
    if (own >= this.#mostOfCaller) throwTooMany('You have');
    if (this.#running >= this.#most) throwTooMany('There are');
    this.#running += 1;
    this.#runningOf.set(caller, own + 1);
    return { [Symbol.dispose]: () => this.#leave(caller) };
  }

  #leave(caller: string): void {
    this.#running -= 1;
    const own = (this.#runningOf.get(caller) ?? 0) - 1;
    if (own > 0) this.#runningOf.set(caller, own);
    else this.#runningOf.delete(caller);
  }
}

function throwTooMany(who: string): never {
  const message = `${who} too many requests running at once. Repeat this one after a pause.`;
  throw new ServiceError('unavailable', message, { retryAfter: 1 });
}
