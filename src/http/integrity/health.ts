import { z } from '@hono/zod-openapi';
import type { App } from '../../platform/app.ts';
import { jsonAnswer } from '../json-answer.ts';
import { demandReady, type Readiness } from '../readiness.ts';
import { operation } from './operation.ts';

const tag = 'Health';
const up = z.object({ status: z.literal('up') });

export function healthRoutes(app: App, ports: Readiness): void {
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
      await demandReady(ports);
      return context.json({ status: 'up' });
    },
  );
}
