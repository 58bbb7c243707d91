import { randomUUID } from 'node:crypto';
import type { Graph } from '../../src/domain/integrity/ports.ts';

/** A root graph, which is its own project unless `fields` say otherwise. */
export function newGraph(fields: Partial<Graph> = {}): Graph {
  const { graphId = randomUUID() } = fields;
  return { graphId, name: `name of ${graphId}`, parentId: null, projectId: graphId, ...fields };
}
