import type { StatementScope } from '../../../domain/integrity/ports.ts';
import { type GraphNumbers, isVisible } from '../graphs/graph-numbers.ts';
import type { StatementDocument } from './statement-documents.ts';
import type { StatementList } from './statement-lists.ts';
import type { StatementFilter } from './statement-reader.ts';

/** A scope as documents know it. */
export interface DocumentScope {
  readonly scope: StatementScope;
  /** Values of `isTrusted` that are in the scope. */
  readonly trusted: readonly boolean[];
  /** The statements of the scope, and perhaps some that only the projects of their graphs tell apart. */
  readonly filter: StatementFilter;
  readonly list: Pick<StatementList, 'name' | 'filter'>;
}

/** The number of no graph. */
const noGraph = -1;

export async function documentScope(scope: StatementScope, numbers: GraphNumbers): Promise<DocumentScope> {
  const { graphId, visibility } = scope;
  const { projects } = visibility;
  if (graphId !== null) {
    const graph = await numbers.find(graphId);
    const filter = { graphs: graph && isVisible(graph, visibility) ? graph._id : noGraph };
    return { scope, trusted: [true, false], filter, list: { name: 'graphs', filter } };
  }
  const isTrusted = { isTrusted: true };
  if (projects === 'all')
    return { scope, trusted: [true], filter: isTrusted, list: { name: 'trusted', filter: isTrusted } };
  const ofProjects = { projects: { $in: [...projects] } };
  return {
    scope,
    trusted: [true],
    filter: { ...isTrusted, ...ofProjects },
    list: { name: 'projects', filter: ofProjects },
  };
}

/** Whether a document is in the scope's graph, where that has one. */
export function isInGraph({ filter }: DocumentScope, { graphs }: Pick<StatementDocument, 'graphs'>): boolean {
  return !('graphs' in filter) || graphs.includes(filter.graphs as number);
}
