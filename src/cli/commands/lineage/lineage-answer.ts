import { z } from 'zod';
import type { LineageAnswer as DeclaredLineage } from '../../../contract/integrity/lineage.ts';
import { partsOf } from '../../client/answer-parts.ts';

const trust = z.object({
  state: z.enum(['claimed', 'signed', 'revoked', 'retracted']),
  by: z.string().optional(),
  by_registrant: z.boolean().optional(),
  valid: z.boolean().optional(),
});

/** The parts of the service's answer that the tree shows. */
export const lineageAnswer = partsOf<DeclaredLineage>()(
  z.object({
    id: z.string(),
    nodes: z.array(
      z.object({
        id: z.string(),
        kind: z.string(),
        type: z.string().optional(),
        name: z.string().optional(),
        trust: trust.optional(),
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
        trust,
        unverified: z.literal(true).optional(),
      }),
    ),
    retracted: z.int().optional(),
  }),
);

export type LineageAnswer = z.output<typeof lineageAnswer>;
export type AnsweredTrust = z.output<typeof trust>;
export type AnsweredEdge = LineageAnswer['edges'][number];

export function endsOf({ from, to }: AnsweredEdge): string[] {
  return from === to ? [from] : [from, to];
}

export function edgesByEnd(edges: readonly AnsweredEdge[]): Map<string, AnsweredEdge[]> {
  const byEnd = new Map<string, AnsweredEdge[]>();
  for (const edge of edges) {
    for (const end of endsOf(edge)) {
      const there = byEnd.get(end);
      if (there) there.push(edge);
      else byEnd.set(end, [edge]);
    }
  }
  return byEnd;
}
