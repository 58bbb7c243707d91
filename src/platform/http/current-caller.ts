import { AsyncLocalStorage } from 'node:async_hooks';
import type { Context } from 'hono';

/** Whose request it is. The signal aborts when its client has disconnected. */
export interface CurrentCaller {
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
