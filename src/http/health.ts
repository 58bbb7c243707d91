import { z } from '@hono/zod-openapi';
import { ServiceError } from '../domain/errors.ts';
import type { App } from '../platform/http/app.ts';
import { jsonAnswer } from './json-answer.ts';
import type { Operation } from './operation.ts';

export interface Readiness {
  /** Rejects when a dependency does not answer. */
  readonly ready: () => Promise<void>;
}

type Register<Caller> = (
  app: App<Caller>,
  name: `${string} /${string}`,
  spec: Operation<Caller, 'public', z.ZodType, z.ZodType>,
) => void;

const tag = 'Health';
const up = z.object({ status: z.literal('up') });

/** What probes ask of a service: they carry no token, and learn nothing else. */
export function healthRoutes<Caller>(
  app: App<Caller>,
  register: Register<Caller>,
  liveness: `GET /${string}`,
  { ready }: Readiness,
): void {
  register(app, liveness, {
    access: 'public',
    tag,
    summary: 'Check liveness',
    answers: { 200: jsonAnswer('Alive', up) },
    handle: async () => Response.json({ status: 'up' }),
  });

  register(app, 'GET /ready', {
    access: 'public',
    tag,
    summary: 'Check readiness',
    answers: { 200: jsonAnswer('Ready', up) },
    handle: async () => {
      await ready().catch(refuse);
      return Response.json({ status: 'up' });
    },
  });
}

function refuse(cause: unknown): never {
  const reason = cause instanceof ServiceError ? cause.message : 'The store does not answer.';
  throw new ServiceError('unavailable', reason, { cause, retryAfter: 1 });
}
