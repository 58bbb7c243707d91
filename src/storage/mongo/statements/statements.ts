import { ServiceError } from '../../../domain/errors.ts';
import type { StatementStore } from '../../../domain/integrity/ports.ts';
import type { Database } from '../database.ts';
import { translated } from '../errors.ts';
import type { RegisteredGraphs } from '../graphs/registered-graphs.ts';
import type { GraphOfRows } from './statement-documents.ts';
import { putStatements } from './statement-writes.ts';

export function mongoStatements(
  database: Database,
  graphs: RegisteredGraphs,
): Pick<StatementStore, 'putMany'> {
  async function demandGraph(graphId: string | null): Promise<GraphOfRows | null> {
    if (graphId === null) return null;
    const graph = await graphs.find(graphId);
    if (!graph) throw new ServiceError('unknown_graph', `The graph ${graphId} is not registered.`);
    return { key: graph._id, projectId: graph.projectId };
  }
  return {
    putMany: (rows, graphId) => translated(() => putStatements(database, rows, () => demandGraph(graphId))),
  };
}
