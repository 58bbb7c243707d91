/** @import { Graph } from '../graph.js' */
import { drawn, element } from '../../element.js';
import { counted } from '../../words.js';
import { kindWords, shownKinds } from '../kinds.js';
import { symbol, symbolOf } from './symbols.js';

/**
 * The kinds of nodes and edges that a graph has, with what they mean and how many there are.
 * @param {Graph} graph
 * @returns {Node[]}
 */
export function legend({ nodes, edges }) {
  const kinds = Map.groupBy(nodes.values(), kindWords);
  const lines = Map.groupBy(edges.values(), ({ kind }) => kind);
  return [
    element(
      'ul',
      { class: 'legend' },
      ...[...kinds].map(([words, [first, ...others]]) =>
        element('li', {}, first ? symbol(symbolOf(first)) : '', `${words}: ${others.length + 1}`),
      ),
    ),
    element(
      'ul',
      { class: 'legend' },
      ...[...lines].map(([kind, some]) =>
        element(
          'li',
          {},
          sample(kind),
          element('span', {}, element('b', {}, kind), ` ${shownKinds.edges[kind] ?? ''}: ${some.length}`),
        ),
      ),
    ),
  ];
}

/** @param {string} kind */
function sample(kind) {
  const path = drawn('path', { d: 'M1 6 H28', 'marker-end': `url(#arrow-${kind})` });
  return drawn('svg', { class: `line ${kind}`, width: '32', height: '12', 'aria-hidden': 'true' }, path);
}

/**
 * How much there is, and whether that is all.
 * @param {Graph} graph
 * @param {number} drawnNodes
 */
export function summary({ nodes, edges }, drawnNodes) {
  const cut = [...nodes.values()].filter(({ hidden }) => hidden > 0).length;
  const counts = `${counted(nodes.size, 'node', 'nodes')} and ${counted(edges.size, 'edge', 'edges')}`;
  const some = drawnNodes < nodes.size ? `; ${counted(drawnNodes, 'node is', 'nodes are')} drawn` : '';
  const more = ` There is more: at ${counted(cut, 'node', 'nodes')} edges are left out, and + asks for them.`;
  return `${counts}${some}.${cut > 0 ? more : ''}`;
}
