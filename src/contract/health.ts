import { z } from 'zod';

export const alive = z.object({ status: z.literal('up') });

export const ready = alive.extend({
  warnings: z
    .array(z.string())
    .optional()
    .describe('What an operator should look at, although all requests are answered'),
  problem: z.string().optional().describe('Why requests are answered 503 at the moment'),
});
