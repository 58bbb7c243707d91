import type { MiddlewareHandler } from 'hono';

/** Answers are about whoever asks: nothing on the way keeps them, and no address that was left is told to anybody. */
export const neverKept: MiddlewareHandler = async (context, next) => {
  await next();
  context.res.headers.set('cache-control', 'no-store');
  context.res.headers.set('referrer-policy', 'no-referrer');
  context.res.headers.set('x-content-type-options', 'nosniff');
};
