import type { LineageEdgeAnswer } from '../../../contract/integrity/lineage.ts';

export function endsOf({ from, to }: LineageEdgeAnswer): string[] {
  return from === to ? [from] : [from, to];
}

export function edgesByEnd(edges: readonly LineageEdgeAnswer[]): Map<string, LineageEdgeAnswer[]> {
  const byEnd = new Map<string, LineageEdgeAnswer[]>();
  for (const edge of edges) {
    for (const end of endsOf(edge)) {
      const there = byEnd.get(end);
      if (there) there.push(edge);
      else byEnd.set(end, [edge]);
    }
  }
  return byEnd;
}
