import type { MiddlewareHandler } from 'hono';
import { cors } from 'hono/cors';

/** Lets pages of a user interface on another origin call the API with the session of their user. */
export function foreignUi(origin: string): MiddlewareHandler {
  return cors({
    origin,
    credentials: true,
    allowMethods: ['GET', 'POST', 'PATCH', 'DELETE'],
    allowHeaders: ['Content-Type', 'X-CSRF-Token'],
    exposeHeaders: ['Retry-After', 'X-Request-Id'],
    maxAge: 600,
  });
}
