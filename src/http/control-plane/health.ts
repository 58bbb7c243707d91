import { z } from '@hono/zod-openapi';
import { jsonAnswer } from '../json-answer.ts';
import { demandReady, type Readiness } from '../readiness.ts';
import { type ControlPlaneApp, publicOperation } from './operation.ts';

const tag = 'Health';
const up = z.object({ status: z.literal('up') });

export function controlPlaneHealthRoutes(app: ControlPlaneApp, ports: Readiness): void {
  publicOperation(
    app,
    'GET /health',
    { tag, summary: 'Whether the process lives', answers: { 200: jsonAnswer('It does', up) } },
    ({ context }) => context.json({ status: 'up' }),
  );

  publicOperation(
    app,
    'GET /ready',
    { tag, summary: 'Whether the service can do its work', answers: { 200: jsonAnswer('It can', up) } },
    async ({ context }) => {
      await demandReady(ports);
      return context.json({ status: 'up' });
    },
  );
}
