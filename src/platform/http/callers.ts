import { AsyncLocalStorage } from 'node:async_hooks';
import type { Context } from 'hono';
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

interface ByteLimits {
  /** In total, over all callers. */
  readonly maxBufferedBytes: number;
  readonly maxCallerBufferedBytes: number;
}

/** Limits how many bytes of bodies and answers are in memory at once, in total and for each caller. */
export class ByteBudget {
  readonly #limits: ByteLimits;
  #held = 0;
  readonly #heldBy = new Map<string, number>();

  constructor(limits: ByteLimits) {
    this.#limits = limits;
  }

  /** How many bytes are held now. */
  get held(): number {
    return this.#held;
  }

  /** The bytes of one body or answer. They are free again when it is disposed of. */
  account(caller: string): ByteAccount {
    let held = 0;
    return {
      take: (bytes) => {
        this.#assertRoom(caller, held, bytes);
        held += bytes;
        this.#add(caller, bytes);
      },
      another: () => this.account(caller),
      [Symbol.dispose]: () => {
        this.#add(caller, -held);
        held = 0;
      },
    };
  }

  #assertRoom(caller: string, held: number, bytes: number): void {
    const { maxBufferedBytes, maxCallerBufferedBytes } = this.#limits;
    if (held + bytes > maxCallerBufferedBytes)
      throw new ServiceError(
        'too_large',
        `This needs more than ${maxCallerBufferedBytes} bytes of memory. Ask for less at once, or raise CAIRN_MAX_CALLER_BUFFERED_BYTES.`,
      );
    if ((this.#heldBy.get(caller) ?? 0) + bytes > maxCallerBufferedBytes) throwBusy('Your requests');
    if (this.#held + bytes > maxBufferedBytes) throwBusy('All requests');
  }

  #add(caller: string, bytes: number): void {
    this.#held += bytes;
    const held = (this.#heldBy.get(caller) ?? 0) + bytes;
    if (held > 0) this.#heldBy.set(caller, held);
    else this.#heldBy.delete(caller);
  }
}

export interface ByteAccount extends Disposable {
  /** @throws ServiceError `unavailable`; `too_large` if no retry can help. */
  take(bytes: number): void;
  /** A separate account of the same caller. */
  another(): ByteAccount;
}

function throwBusy(whose: string): never {
  throw new ServiceError(
    'unavailable',
    `${whose} together hold too many bytes in memory. Wait until some are answered, and read their answers.`,
    { retryAfter: 1 },
  );
}

/** Whose request it is. The signal aborts when its client has disconnected. */
interface CurrentCaller {
  readonly key: string;
  readonly signal: AbortSignal;
}

const current = new AsyncLocalStorage<CurrentCaller>();

/** The caller of the request that the running code belongs to; undefined outside of requests. */
export function currentCaller(): CurrentCaller | undefined {
  return current.getStore();
}

export function asCaller<Result>(context: Context, key: string, work: () => Result): Result {
  const request = context.req.raw;
  const caller = {
    key,
    get signal() {
      return request.signal;
    },
  };
  return current.run(caller, work);
}

/** Runs work that several requests of the current caller share. It has CPU time of its own, and goes on if a client disconnects. */
export function asSharedWork<Result>(work: () => Result): Result {
  const caller = current.getStore();
  if (!caller) return work();
  return current.run({ key: caller.key, signal: new AbortController().signal }, work);
}
