import { randomUUID } from 'node:crypto';
import { OpenAPIHono } from '@hono/zod-openapi';
import type { MiddlewareHandler } from 'hono';
import type { Principal } from '../../domain/access/access.ts';
import { ServiceError } from '../../domain/errors.ts';
import type { AuditTrail } from '../audit-trail/audit-trail.ts';
import type { Log } from '../log.ts';
import { observedRequest } from '../telemetry/observed-request.ts';
import { noTelemetry, type Telemetry } from '../telemetry/telemetry.ts';
import { allowedMethods } from './allowed-methods.ts';
import type { AppEnv } from './app-env.ts';
import type { ByteBudget } from './byte-budget.ts';
import { errorResponse } from './error-response.ts';
import type { RequestLimit } from './request-limit.ts';

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
  app.onError((error, context) => errorResponse(error, context, showCallStack));
  app.notFound((context) => {
    const { method, path } = context.req;
    const error = new ServiceError('not_found', `There is no ${method} ${path.slice(0, 200)}. See /docs.`);
    return errorResponse(error, context, showCallStack);
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
      return errorResponse(error, context, showCallStack);
    }),
  );
  return app;
}

const validRequestId = /^[\w.:-]{1,100}$/;

/** Gives each request an id, the caller's own if it is valid, and one line in the log. */
function requestLog<Caller>(log: Log, telemetry: Telemetry): MiddlewareHandler<AppEnv<Caller>> {
  return async (context, next) => {
    const given = context.req.header('x-request-id');
    const requestId = given && validRequestId.test(given) ? given : randomUUID();
    const startedAt = performance.now();
    await observedRequest(context, telemetry, async (span) => {
      const ids = { request_id: requestId, ...(span && { trace_id: span.spanContext().traceId }) };
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
    });
  };
}
