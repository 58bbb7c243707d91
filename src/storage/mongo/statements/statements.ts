import { ServiceError } from '../../../domain/errors.ts';
import type { StatementStore } from '../../../domain/integrity/ports.ts';
import type { Database } from '../database.ts';
import { translated } from '../errors.ts';
import type { RegisteredGraphs } from '../graphs/registered-graphs.ts';
import { type GraphOfRows, statementCollections } from './statement-documents.ts';
import { putStatements } from './statement-writes.ts';

export function mongoStatements(
  database: Database,
  graphs: RegisteredGraphs,
): Pick<StatementStore, 'putMany' | 'registrarOf'> {
  async function existingGraph(graphId: string | null): Promise<GraphOfRows | null> {
    if (graphId === null) return null;
    const graph = await graphs.find(graphId);
    if (!graph) throw new ServiceError('unknown_graph', `The graph ${graphId} is not registered.`);
    return { key: graph._id, projectId: graph.projectId };
  }
  return {
    putMany: (rows, graphId, registrar = null) =>
      translated(() => putStatements(database, rows, registrar, () => existingGraph(graphId))),
    async registrarOf({ digest }) {
      const { verified } = statementCollections(database);
      const options = { projection: { registrar: 1 } };
      return (await translated(() => verified.findOne({ _id: digest }, options)))?.registrar ?? null;
    },
  };
}
