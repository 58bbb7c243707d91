import { z } from 'zod';

export const alive = z.object({ status: z.literal('up') });

export const ready = alive.extend({
  problem: z.string().optional().describe('Why requests are answered 503 at the moment'),
});
