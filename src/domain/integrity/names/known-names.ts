import { isVisible } from '../../access/visibility.ts';
import { mapConcurrent } from '../../map-concurrent.ts';
import type { GraphStore, StatementScope } from '../ports.ts';
import { shownName } from './name.ts';
import type { NameIndex } from './name-index.ts';

/** The names that the service knows itself of some of these things, as far as the reader may see them. */
export type NameSource = (
  ids: readonly string[],
  scope: StatementScope,
) => Promise<ReadonlyMap<string, string>>;

/** Names as metadata gives them, and before these the names that the service knows itself. The last source counts most. */
export function knownNames(given: NameIndex['of'], ...sources: readonly NameSource[]): NameIndex['of'] {
  return async (ids, scope) => {
    const names = new Map(await given(ids, scope));
    for (const source of sources)
      for (const [id, name] of await source(ids, scope)) names.set(id, shownName(name));
    return names;
  };
}

/** The name of a service. @param dids its own. */
export function serviceName(dids: ReadonlySet<string>, name: string): NameSource {
  return async (ids) => new Map(ids.filter((id) => dids.has(id)).map((id) => [id, name]));
}

const graphsAtOnce = 8;
const graphUrn = 'urn:uuid:';

/** The names of graphs. A project has the UUID of its root graph, and so its name. */
export function graphNames(graphs: Pick<GraphStore, 'get'>): NameSource {
  return async (ids, { visibility }) => {
    const asked = ids.filter((id) => id.startsWith(graphUrn));
    const read = (id: string) => graphs.get(id.slice(graphUrn.length));
    const names = new Map<string, string>();
    for await (const graph of mapConcurrent(asked, graphsAtOnce, read))
      if (graph && isVisible(graph.projectId, visibility)) names.set(graphUrn + graph.graphId, graph.name);
    return names;
  };
}
