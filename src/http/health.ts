import { z } from '@hono/zod-openapi';
import { ServiceError } from '../domain/errors.ts';
import type { App } from '../platform/http/app.ts';
import { jsonAnswer } from './answers.ts';
import type { Operation } from './operation.ts';

export interface Readiness {
  /** Rejects if a dependency does not answer. */
  readonly ready: () => Promise<void>;
  /** Aborted when the process is about to end. It is not ready then. */
  readonly stopping: AbortSignal;
}

type Register<Caller> = (
  app: App<Caller>,
  name: `${string} /${string}`,
  row: Operation<Caller, 'public', z.ZodType, z.ZodObject>,
) => void;

const tag = 'Health';
const up = z.object({ status: z.literal('up') });

/** The routes for probes, which have no token. */
export function healthRoutes<Caller>(
  app: App<Caller>,
  register: Register<Caller>,
  liveness: `GET /${string}`,
  { ready, stopping }: Readiness,
): void {
  register(app, liveness, {
    access: 'public',
    tag,
    summary: 'Check liveness',
    answers: { 200: jsonAnswer('Alive', up) },
    handle: () => Response.json({ status: 'up' }),
  });

  let running: Promise<void> | undefined;
  /** Anybody may ask, so questions at the same time share one check. */
  const check = async () => {
    running ??= ready().finally(() => {
      running = undefined;
    });
    await running;
  };
  register(app, 'GET /ready', {
    access: 'public',
    tag,
    summary: 'Check readiness',
    answers: { 200: jsonAnswer('Ready', up) },
    handle: async () => {
      if (stopping.aborted) refuse(new ServiceError('unavailable', 'The service is stopping.'));
      await check().catch(refuse);
      return Response.json({ status: 'up' });
    },
  });
}

function refuse(cause: unknown): never {
  const reason = cause instanceof ServiceError ? cause.message : 'The store does not answer.';
  throw new ServiceError('unavailable', reason, { cause, retryAfter: 1 });
}
