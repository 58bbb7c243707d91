import { z } from 'zod';

/** The parts of the service's answer that the tree shows. */
export const lineageAnswer = z.object({
  id: z.string(),
  nodes: z.array(
    z.object({
      id: z.string(),
      kind: z.string(),
      type: z.string().optional(),
      hidden_edges: z.int().optional(),
    }),
  ),
  edges: z.array(
    z.object({
      from: z.string(),
      to: z.string(),
      kind: z.string(),
      role: z.string(),
      statement: z.string(),
      type: z.string().optional(),
      registered_by: z.string().optional(),
      unverified: z.literal(true).optional(),
    }),
  ),
});

export type LineageAnswer = z.output<typeof lineageAnswer>;
export type AnsweredEdge = LineageAnswer['edges'][number];
