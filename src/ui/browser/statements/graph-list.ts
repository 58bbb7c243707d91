import { askJson } from '../api.ts';
import { element, part } from '../element.ts';
import { foreignText, graphAddress } from './shown-text.ts';
import { askGraph, countOf, type GraphEntry, type GraphList } from './statements-api.ts';

const mostRoots = 20;
/** The children of more graphs are not shown here. */
const mostOpened = 5;

/** Fills the list of graphs: the roots, and the children of a few. */
export async function showGraphs(): Promise<void> {
  const query = `in_no_graph=true&limit=${mostRoots}`;
  const { graphs, in_no_graph: rest, next_cursor: next }: GraphList = await askJson(`/graph/v1?${query}`);
  const items = await Promise.all(
    graphs.map(async (graph, at) => {
      const children = at < mostOpened ? (await askGraph(graph.graph_id)).graphs : [];
      return graphItem(graph, children.length > 0 ? graphList(children) : '');
    }),
  );
  const isLoose = (rest?.statements ?? 0) > 0;
  if (items.length === 0 && !isLoose) return;
  const more = element(
    'p',
    {},
    'There are more. ',
    element('code', {}, 'cairn graph list'),
    ' lists them all.',
  );
  const loose = `${countOf(rest ?? {})} in no graph. Only exports of everything have them.`;
  part('graphs').replaceChildren(
    element('ul', { class: 'graphs' }, ...items),
    ...(next === undefined ? [] : [more]),
    ...(isLoose ? [element('p', { class: 'quiet' }, loose)] : []),
  );
  part('graphs-section').hidden = false;
}

export function graphList(graphs: readonly GraphEntry[]): HTMLElement {
  return element('ul', { class: 'graphs' }, ...graphs.map((graph) => graphItem(graph)));
}

function graphItem(graph: GraphEntry, children: Node | string = ''): HTMLElement {
  const link = element('a', { href: graphAddress(graph.graph_id) }, foreignText(graph.name));
  const count = element('span', { class: 'quiet' }, countOf(graph));
  return element('li', {}, element('span', { class: 'entry-row' }, link, count), children);
}
