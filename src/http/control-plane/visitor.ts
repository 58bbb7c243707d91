import type { Context, MiddlewareHandler } from 'hono';
import type { KnownCaller } from '../../domain/control-plane/known-caller.ts';
import { ServiceError } from '../../domain/errors.ts';
import type { AppEnv } from '../../platform/http/app-env.ts';

/** Who looks at a page, if somebody is signed in, and why the service cannot authenticate them now. */
export async function visitor(context: Context<AppEnv<KnownCaller>>) {
  try {
    return { caller: await context.get('caller')(), problem: undefined };
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    return { caller: undefined, problem: error.code === 'unauthorized' ? undefined : error.message };
  }
}

/** Answers depend on the caller, so caches must not store them. Links from them must not reveal their address. */
export const neverKept: MiddlewareHandler = async (context, next) => {
  await next();
  context.res.headers.set('cache-control', 'no-store');
  context.res.headers.set('referrer-policy', 'no-referrer');
  context.res.headers.set('x-content-type-options', 'nosniff');
};
