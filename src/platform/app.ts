import { randomUUID } from 'node:crypto';
import { OpenAPIHono } from '@hono/zod-openapi';
import type { MiddlewareHandler } from 'hono';
import type { Principal } from '../domain/access.ts';
import { ServiceError } from '../domain/errors.ts';
import { errorResponse } from './error-response.ts';
import type { Log } from './log.ts';

export interface AppEnv {
  Variables: {
    /** Finds out who is calling, when that matters. @throws ServiceError `unauthorized`, `unavailable`. */
    caller: () => Promise<Principal>;
    requestId: string;
    log: Log;
  };
}

export type App = OpenAPIHono<AppEnv>;

export interface AppOptions {
  readonly log: Log;
  readonly authentication: MiddlewareHandler<AppEnv>;
  readonly showCallStack: boolean;
}

/** An application with what every route shares: request ids, log lines, the caller, and the form of errors. */
export function createApp({ log, authentication, showCallStack }: AppOptions): App {
  const app: App = new OpenAPIHono<AppEnv>();
  app.onError((error, context) => errorResponse(error, context, showCallStack));
  app.notFound((context) => {
    const { method, path } = context.req;
    const error = new ServiceError('not_found', `There is no ${method} ${path.slice(0, 200)}. See /docs.`);
    return errorResponse(error, context, showCallStack);
  });
  app.use(requestLog(log));
  app.use(authentication);
  return app;
}

const sensibleId = /^[\w.:-]{1,100}$/;

/** Gives each request an id, the caller's own when it is sensible, and one line in the log. */
function requestLog(log: Log): MiddlewareHandler<AppEnv> {
  return async (context, next) => {
    const given = context.req.header('x-request-id');
    const requestId = given && sensibleId.test(given) ? given : randomUUID();
    const startedAt = performance.now();
    context.set('requestId', requestId);
    context.set('log', log.child({ request_id: requestId }));
    await next();
    context.res.headers.set('x-request-id', requestId);
    const { method, path } = context.req;
    const ms = Math.round((performance.now() - startedAt) * 10) / 10;
    log.info({ request_id: requestId, method, path, status: context.res.status, ms }, 'request');
  };
}
