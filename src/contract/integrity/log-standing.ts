import { z } from 'zod';

/** How publishing the log goes, or how a witness answers. */
export const logStanding = z.object({
  names: z.array(z.string()),
  size: z.int().nullable(),
  at: z.int().nullable(),
  problem: z.object({ code: z.string(), detail: z.string().nullable(), size: z.int().nullable() }).nullable(),
  since: z.int().nullable(),
});
export type LogStanding = z.output<typeof logStanding>;
