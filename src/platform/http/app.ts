import { randomUUID } from 'node:crypto';
import { OpenAPIHono } from '@hono/zod-openapi';
import type { Context, MiddlewareHandler, Next } from 'hono';
import { TrieRouter } from 'hono/router/trie-router';
import type { Principal } from '../../domain/access/access.ts';
import { ServiceError } from '../../domain/errors.ts';
import type { AuditTrail } from '../audit-trail/audit-trail.ts';
import type { Log } from '../log.ts';
import { observedRequest } from '../telemetry/observed-request.ts';
import { noTelemetry, type Telemetry } from '../telemetry/telemetry.ts';
import type { AppEnv } from './app-env.ts';
import type { ByteBudget, RequestLimit } from './callers.ts';
import { errorResponse } from './error-response.ts';

export type App<Caller = Principal> = OpenAPIHono<AppEnv<Caller>>;

export interface AppOptions<Caller> {
  readonly log: Log;
  readonly authentication: MiddlewareHandler<AppEnv<Caller>>;
  readonly auditTrail: AuditTrail<Caller>;
  readonly requestLimit: RequestLimit;
  readonly budget: ByteBudget;
  readonly showCallStack: boolean;
  /** Default: requests are only logged. */
  readonly telemetry?: Telemetry;
}

/** An application with the middleware of every route: request ids, log lines, authentication and errors. */
export function createApp<Caller = Principal>({
  log,
  authentication,
  auditTrail,
  requestLimit,
  budget,
  showCallStack,
  telemetry = noTelemetry,
}: AppOptions<Caller>): App<Caller> {
  const app: App<Caller> = new OpenAPIHono<AppEnv<Caller>>();
  app.onError((error, context) => errorResponse(error, context, { showCallStack }));
  app.notFound((context) => {
    const { method, path } = context.req;
    const error = new ServiceError('not_found', `There is no ${method} ${path.slice(0, 200)}. See /docs.`);
    return errorResponse(error, context, { showCallStack });
  });
  app.use(requestLog<Caller>(log, telemetry));
  app.use(async (context, next) => {
    context.set('auditTrail', auditTrail);
    context.set('requestLimit', requestLimit);
    context.set('budget', budget);
    await next();
  });
  app.use(authentication);
  app.use(
    allowedMethods<Caller>(app, (context, methods) => {
      const allow = methods.join(', ');
      const message = `${context.req.path.slice(0, 200)} has no ${context.req.method}. It has ${allow}.`;
      const error = new ServiceError('method_not_allowed', message, { headers: { allow } });
      return errorResponse(error, context, { showCallStack });
    }),
  );
  return app;
}

const validRequestId = /^[\w.:-]{1,100}$/;

/** Gives each request an id, the caller's own if it is valid, and one line in the log. */
function requestLog<Caller>(log: Log, telemetry: Telemetry): MiddlewareHandler<AppEnv<Caller>> {
  const logged = async (context: Context<AppEnv<Caller>>, next: Next, traceId?: string): Promise<void> => {
    const given = context.req.header('x-request-id');
    const requestId = given && validRequestId.test(given) ? given : randomUUID();
    const startedAt = performance.now();
    const ids = { request_id: requestId, ...(traceId !== undefined && { trace_id: traceId }) };
    context.set('requestId', requestId);
    context.set('log', log.child(ids));
    await next();
    context.res.headers.set('x-request-id', requestId);
    const { method, path } = context.req;
    const ms = Math.round((performance.now() - startedAt) * 10) / 10;
    const principal = context.get('principal') ?? undefined;
    // Probes come every few seconds.
    const level = context.get('isProbe') ? 'debug' : 'info';
    log[level]({ ...ids, principal, method, path, status: context.res.status, ms }, 'request');
  };
  if (!telemetry.metrics && !telemetry.traces) return (context, next) => logged(context, next);
  return (context, next) =>
    observedRequest(context, telemetry, (span) => logged(context, next, span?.spanContext().traceId));
}

type Routes = Pick<App<never>, 'routes'>;

interface Route {
  /** Routes with static segments come before those with parameters, and these before wildcards. */
  readonly rank: string;
  readonly method: string;
}

/**
 * Refuses the methods that a path does not have. The most specific routes that match a path decide: `/blob/batch` is not a
 * blob, although `/blob/:cid` matches it too.
 * @param refuse answers 405 with these methods.
 */
function allowedMethods<Caller>(
  app: Routes,
  refuse: (context: Context<AppEnv<Caller>>, methods: readonly string[]) => Response,
): MiddlewareHandler<AppEnv<Caller>> {
  let router: TrieRouter<Route> | undefined;
  return async (context, next) => {
    const { method, path } = context.req;
    router ??= routerOf(app);
    const methods = methodsOf(router, path);
    if (methods.length === 0 || methods.includes(method)) return await next();
    // Another middleware may answer a preflight request.
    if (method === 'OPTIONS') await next();
    if (method === 'OPTIONS' && context.res.status !== 404) return;
    context.res = undefined;
    context.res = refuse(context, methods);
  };
}

function routerOf({ routes }: Routes): TrieRouter<Route> {
  const router = new TrieRouter<Route>();
  for (const { method, path } of routes)
    if (method !== 'ALL') router.add('ALL', path, { rank: rankOf(path), method });
  return router;
}

function rankOf(path: string): string {
  return path
    .split('/')
    .map((segment) => (/\*|\{/.test(segment) ? '2' : segment.startsWith(':') ? '1' : '0'))
    .join('');
}

function methodsOf(router: TrieRouter<Route>, path: string): string[] {
  const routes = router.match('ALL', path)[0].map(([route]) => route);
  const first = routes.map(({ rank }) => rank).sort()[0];
  const methods = new Set(routes.filter(({ rank }) => rank === first).map(({ method }) => method));
  if (methods.has('GET')) methods.add('HEAD');
  return [...methods].sort();
}
