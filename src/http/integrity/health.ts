import { z } from '@hono/zod-openapi';
import { ServiceError } from '../../domain/errors.ts';
import type { App } from '../../platform/app.ts';
import { jsonAnswer } from '../json-answer.ts';
import { operation } from './operation.ts';

const tag = 'Health';
const up = z.object({ status: z.literal('up') });

export interface HealthRoutes {
  /** Rejects when a dependency does not answer. */
  readonly ready: () => Promise<void>;
}

export function healthRoutes(app: App, { ready }: HealthRoutes): void {
  operation(
    app,
    'GET /health/v1',
    { tag, summary: 'Whether the process lives', answers: { 200: jsonAnswer('It does', up) } },
    ({ context }) => context.json({ status: 'up' }),
  );

  operation(
    app,
    'GET /ready',
    { tag, summary: 'Whether the service can do its work', answers: { 200: jsonAnswer('It can', up) } },
    async ({ context }) => {
      await ready().catch((cause: unknown) => {
        const reason = cause instanceof ServiceError ? cause.message : 'The store does not answer.';
        throw new ServiceError('unavailable', reason, { cause, retryAfter: 1 });
      });
      return context.json({ status: 'up' });
    },
  );
}
