import { element } from '../element.ts';
import { statementsLogged } from '../logged.ts';
import type { Graph, GraphNode } from './graph.ts';

/** Since when the log has the statements of the selected node, or of the whole lineage if none is selected. */
export class LogFacts {
  readonly box = element('section', { hidden: true });
  #shown = '';

  async show(graph: Graph, node: GraphNode | undefined): Promise<void> {
    const ids = statementsAt(graph, node);
    const key = ids.join(' ');
    if (key === this.#shown) return;
    this.#shown = key;
    this.box.hidden = true;
    if (ids.length === 0) return;
    const line = await statementsLogged(ids, new URLSearchParams(location.search).get('graph_id'));
    if (this.#shown !== key || !line) return;
    this.box.replaceChildren(element('h3', {}, 'Log'), line);
    this.box.hidden = false;
  }
}

function statementsAt(graph: Graph, node: GraphNode | undefined): string[] {
  if (node?.kind === 'statement') return [node.id];
  const edges = node ? graph.edgesAt(node.id) : [...graph.edges.values()];
  return [...new Set(edges.map(({ statement }) => statement))].sort();
}
