import type { HttpBindings } from '@hono/node-server';
import type { Span } from '@opentelemetry/api';
import type { Context } from 'hono';
import { routePath } from 'hono/route';
import type { AppEnv } from '../http/app-env.ts';
import type { Metrics } from './metrics.ts';
import type { Telemetry } from './telemetry.ts';
import type { EndedRequest } from './traces.ts';

const knownMethods = new Set(['GET', 'HEAD', 'POST', 'PUT', 'DELETE', 'PATCH', 'OPTIONS']);
const templates = new Map<string, string>();

/** Measures and traces one request, up to the last byte of its answer. */
export async function observedRequest<Caller>(
  context: Context<AppEnv<Caller>>,
  { metrics, traces }: Telemetry,
  answer: (span?: Span) => Promise<void>,
): Promise<void> {
  const startedAt = performance.now();
  const span = traces?.startRequest(context.req.raw.headers);
  metrics?.activeRequests.inc();
  const end = () => {
    const method = knownMethods.has(context.req.method) ? context.req.method : '_OTHER';
    const ended = { method, route: routeOf(context), status: context.res.status };
    if (metrics) count(metrics, context, { ...ended, seconds: (performance.now() - startedAt) / 1_000 });
    if (span) traces?.endRequest(span, ended);
  };
  try {
    await (traces && span ? traces.within(span, () => answer(span)) : answer());
  } finally {
    const { outgoing } = (context.env ?? {}) as Partial<HttpBindings>;
    if (outgoing && !outgoing.closed) outgoing.once('close', end);
    else end();
  }
}

function count<Caller>(
  metrics: Metrics,
  context: Context<AppEnv<Caller>>,
  { method, route, status, seconds }: EndedRequest & { readonly seconds: number },
): void {
  metrics.activeRequests.dec();
  metrics.requestDuration.observe(
    { http_request_method: method, http_route: route, http_response_status_code: status },
    seconds,
  );
  const principal = context.get('principal');
  if (principal !== undefined)
    metrics.authentications.inc({ outcome: outcomeOf(principal !== null, status) });
}

function outcomeOf(isKnown: boolean, status: number): string {
  if (status === 403) return 'forbidden';
  if (isKnown) return 'accepted';
  return status === 401 ? 'unauthorized' : status === 429 ? 'rate_limited' : 'unavailable';
}

/** The template of the route, such as `/statements/v1/{id}`. All paths without a route are `unknown`. */
function routeOf<Caller>(context: Context<AppEnv<Caller>>): string {
  const path = routePath(context, -1);
  return templates.getOrInsertComputed(path, () =>
    path.includes('*') ? 'unknown' : path.replaceAll(/:(\w+)(?:\{[^}]*\})?\??/g, '{$1}'),
  );
}
