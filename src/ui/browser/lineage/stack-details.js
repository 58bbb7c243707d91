/** @import { Reading } from './details.js' */
/** @import { Stack } from './stacks.js' */
import { element } from '../element.js';
import { bareId } from '../words.js';
import { symbol } from './drawing/symbols.js';

const mostRows = 200;

/**
 * The nodes of a stack, as a list.
 * @param {Stack} stack
 * @param {Reading} reading
 * @returns {Node[]}
 */
export function stackDetails({ roles, members }, { graph, names, select }) {
  const rows = members.slice(0, mostRows).map((id) => {
    const node = graph.nodes.get(id);
    const title = node ? names.titleOf(graph, node) : bareId(id);
    return element(
      'li',
      {},
      element('button', { type: 'button', class: 'link', click: () => select(id) }, title),
    );
  });
  const rest = members.length > mostRows ? ` These are the first ${mostRows}.` : '';
  return [
    element('h2', { tabindex: '-1' }, symbol('stack'), `${members.length} more`),
    element('p', { class: 'kind' }, `All have the same drawn relations (${roles.join(', ')}).${rest}`),
    element('ul', { class: 'edges' }, ...rows),
  ];
}
