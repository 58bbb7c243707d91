import type { MiddlewareHandler } from 'hono';

/** Answers depend on the caller, so caches must not store them. Links from them must not reveal their address. */
export const neverKept: MiddlewareHandler = async (context, next) => {
  await next();
  context.res.headers.set('cache-control', 'no-store');
  context.res.headers.set('referrer-policy', 'no-referrer');
  context.res.headers.set('x-content-type-options', 'nosniff');
};
