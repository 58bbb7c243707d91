import { z } from '@hono/zod-openapi';
import { jsonAnswer } from '../json-answer.ts';
import { type ControlPlaneApp, publicOperation } from './operation.ts';

const up = z.object({ status: z.literal('up') });

export function controlPlaneHealthRoutes(app: ControlPlaneApp): void {
  publicOperation(
    app,
    'GET /health',
    { tag: 'Health', summary: 'Whether the process lives', answers: { 200: jsonAnswer('It does', up) } },
    ({ context }) => context.json({ status: 'up' }),
  );
}
