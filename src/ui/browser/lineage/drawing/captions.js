/** @import { Graph } from '../graph.js' */
/** @import { Names } from '../names.js' */
/** @import { ShownNode } from '../shown.js' */

import { counted, shortId } from '../../words.js';
import { kindWords } from '../kinds.js';
import { symbolOf } from './symbols.js';

/**
 * What stands on a node.
 * @typedef {object} Caption
 * @property {string} title
 * @property {string} subtitle
 * @property {string} symbol
 * @property {string} name in full
 * @property {string} rest what the symbol and the number beside it tell, in words
 */

/** As many characters as a node has room for. */
const titleLength = 22;

/**
 * @param {ShownNode} shown
 * @param {Graph} graph
 * @param {Names} names
 * @returns {Caption}
 */
export function captionOf({ id, more, stack }, graph, names) {
  const node = graph.nodes.get(id);
  if (stack) {
    const [title, subtitle] = [`${stack.members.length} more`, stack.roles.join(', ')];
    return { title, subtitle, symbol: 'stack', name: title, rest: 'stack' };
  }
  if (!node) return { title: shortId(id), subtitle: '', symbol: 'artefact', name: id, rest: '' };
  const name = names.titleOf(graph, node);
  const kind = kindWords(node);
  return {
    title: pathEnd(name),
    subtitle: name === shortId(id) ? kind : shortId(id),
    symbol: symbolOf(node),
    name,
    rest: more > 0 ? `${kind}, ${counted(more, 'edge', 'edges')} not drawn` : kind,
  };
}

/** Of a long path the end, which tells files apart. @param {string} name */
function pathEnd(name) {
  if (name.length <= titleLength || !name.includes('/')) return name;
  const end = name.slice(1 - titleLength);
  const folder = end.indexOf('/');
  return `…${folder === -1 || folder > end.length - 6 ? end : end.slice(folder)}`;
}
