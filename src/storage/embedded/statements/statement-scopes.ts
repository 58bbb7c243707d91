import type { DatabaseSync } from 'node:sqlite';
import type { StatementScope } from '../../../domain/integrity/ports.ts';
import { type Postings, union } from '../index/postings.ts';

/** A reader of more graphs, or projects, than this is asked about each statement instead. */
const graphsListed = 50;
const projectsListed = 200;

/** A scope as the rows know it. */
export interface RowScope {
  readonly scope: StatementScope;
  /** Values of `trusted` that are in the scope. */
  readonly trusted: readonly (0 | 1)[];
  /** What the reader sees, where that is no larger than some graphs: it leaps over what others have. */
  readonly listed: Postings | undefined;
  /** Whether the reader sees a statement; for trusted ones alone where `trusted` says so. */
  sees(seq: number): boolean;
}

/** Answers which statements a question is about. */
export function statementScopes(reader: DatabaseSync): (scope: StatementScope) => RowScope {
  const graphByName = reader.prepare('SELECT id, project_id FROM graphs WHERE graph_id = ?');
  const graphsOfProject = reader.prepare(
    `SELECT id FROM graphs WHERE project_id = ? LIMIT ${graphsListed + 1}`,
  );
  const projectsOf = reader.prepare(
    'SELECT project_id FROM statement_graphs JOIN graphs ON id = graph WHERE seq = ?',
  );
  const isIn = reader.prepare('SELECT 1 FROM statement_graphs WHERE graph = ? AND seq = ?');
  const newestIn = reader.prepare(
    'SELECT seq FROM statement_graphs WHERE graph = ? AND seq < ? ORDER BY seq DESC LIMIT 1',
  );

  const statementsOf = (graph: number): Postings => ({
    below(seq) {
      const found = newestIn.get(graph, seq);
      return found && Number(found.seq);
    },
  });

  function visibleGraphs(projects: ReadonlySet<string>): number[] | undefined {
    if (projects.size > projectsListed) return undefined;
    const graphs: number[] = [];
    for (const project of projects) {
      graphs.push(...graphsOfProject.all(project).map(({ id }) => Number(id)));
      if (graphs.length > graphsListed) return undefined;
    }
    return graphs;
  }

  function ofGraph(scope: StatementScope, graphId: string): RowScope {
    const { projects } = scope.visibility;
    const row = graphByName.get(graphId);
    const graph = Number(row?.id);
    const isVisible = row !== undefined && (projects === 'all' || projects.has(String(row.project_id)));
    return {
      scope,
      trusted: [0, 1],
      listed: isVisible ? statementsOf(graph) : union([]),
      sees: (seq) => isVisible && isIn.get(graph, seq) !== undefined,
    };
  }

  return (scope) => {
    const { projects } = scope.visibility;
    if (scope.graphId !== null) return ofGraph(scope, scope.graphId);
    if (projects === 'all') return { scope, trusted: [1], listed: undefined, sees: () => true };
    const graphs = visibleGraphs(projects);
    return {
      scope,
      trusted: [1],
      listed: graphs && union(graphs.map(statementsOf)),
      sees: (seq) => projectsOf.iterate(seq).some(({ project_id }) => projects.has(String(project_id))),
    };
  };
}
