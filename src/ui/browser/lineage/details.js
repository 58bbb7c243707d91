/** @import { Graph, GraphEdge, GraphNode } from './graph.js' */
/** @import { Names } from './names.js' */

import { element } from '../element.js';
import { bareId, counted, shortId } from '../words.js';
import { copyable } from './copying.js';
import { symbol, symbolOf } from './drawing/symbols.js';
import { otherEnd } from './graph.js';
import { kindWords } from './kinds.js';
import { blobAddress, findAddress, statementAddress } from './lineage-api.js';
import { addressOf } from './question.js';
import { jsonOnDemand } from './statement-json.js';

/**
 * What the details are taken from, and what can be done from there.
 * @typedef {object} Reading
 * @property {Graph} graph
 * @property {Names} names
 * @property {(id: string) => boolean} isAsked whether asking for a node brings nothing more
 * @property {(id: string) => void} select
 * @property {(id: string) => void} expand
 */

const rowsAtFirst = 40;
const metadataRows = 12;

/**
 * Everything that is known of a node.
 * @param {GraphNode} node
 * @param {Reading} reading
 * @returns {Node[]}
 */
export function details(node, reading) {
  const { id, kind } = node;
  const { graph, names } = reading;
  const told = names.metadataOf(graph, id);
  const near = graph.edgesAt(id);
  return [
    element('h2', { tabindex: '-1' }, symbol(symbolOf(node)), names.titleOf(graph, node)),
    element('p', { class: 'kind' }, kindWords(node) + (id === graph.start ? ', the start' : '')),
    copyable(bareId(id), 'the identifier'),
    further(node, reading),
    ...(told ? [metadataList(told.metadata)] : []),
    ...(kind === 'statement' ? [jsonOnDemand('The statement', id)] : []),
    ...edgeList(
      'In',
      near.filter(({ to }) => to === id),
      id,
      reading,
    ),
    ...edgeList(
      'Out',
      near.filter(({ from }) => from === id),
      id,
      reading,
    ),
  ];
}

/**
 * @param {GraphNode} node
 * @param {Reading} reading
 */
function further({ id, kind, hidden }, { graph, isAsked, expand }) {
  const missing = `At least ${counted(hidden, 'edge is', 'edges are')} not here.`;
  const note = isAsked(id) ? ' One answer has no room for them; the list of all that refers to it has.' : '';
  const ask = element('button', { type: 'button', click: () => expand(id) }, 'Look further from here');
  const links = [
    id !== graph.start &&
      element('a', { href: addressOf(new URL(location.href), id).href }, 'Start from here'),
    kind === 'statement' && element('a', { href: statementAddress(id) }, 'The statement as JSON'),
    kind === 'artefact' &&
      id.startsWith('urn:cid:') &&
      element('a', { href: blobAddress(id) }, 'Its bytes, if stored'),
    element('a', { href: findAddress(id) }, 'All that refers to it, as JSON'),
  ];
  return element(
    'div',
    { class: 'further' },
    ...(hidden > 0 ? [element('p', {}, missing + note)] : []),
    ...(isAsked(id) ? [] : [ask]),
    element('ul', {}, ...links.flatMap((link) => (link ? [element('li', {}, link)] : []))),
  );
}

/** @param {Record<string, unknown>} metadata */
function metadataList(metadata) {
  const rows = Object.entries(metadata).slice(0, metadataRows);
  const text = (/** @type {unknown} */ value) => (typeof value === 'string' ? value : JSON.stringify(value));
  return element(
    'section',
    {},
    element('h3', {}, 'What is said of it'),
    element(
      'dl',
      {},
      ...rows.flatMap(([name, value]) => [
        element('dt', {}, name),
        element('dd', {}, text(value).slice(0, 300)),
      ]),
    ),
  );
}

/**
 * @param {string} title
 * @param {GraphEdge[]} edges
 * @param {string} id
 * @param {Reading} reading
 */
function edgeList(title, edges, id, reading) {
  if (edges.length === 0) return [];
  const rows = (/** @type {GraphEdge[]} */ some) => some.map((edge) => edgeRow(edge, id, reading));
  const list = element('ul', { class: 'edges' }, ...rows(edges.slice(0, rowsAtFirst)));
  const rest = edges.slice(rowsAtFirst);
  const all = element('button', { type: 'button' }, `Show all ${edges.length}`);
  all.addEventListener('click', () => {
    const added = rows(rest);
    list.append(...added);
    added[0]?.querySelector('button')?.focus();
    all.remove();
  });
  const heading = element('h3', {}, `${title}: ${counted(edges.length, 'edge', 'edges')}`);
  return [element('section', {}, heading, list, ...(rest.length > 0 ? [all] : []))];
}

/**
 * @param {GraphEdge} edge
 * @param {string} id
 * @param {Reading} reading
 */
function edgeRow(edge, id, { graph, names, select }) {
  const titleOf = (/** @type {string} */ at) => {
    const node = graph.nodes.get(at);
    return node ? names.titleOf(graph, node) : shortId(at);
  };
  const other = otherEnd(edge, id);
  const by = edge.registered_by === undefined ? undefined : `registered by ${titleOf(edge.registered_by)}`;
  const words = [edge.type, edge.unverified && 'unverified', by].filter(Boolean).join(', ');
  return element(
    'li',
    { class: `line ${edge.kind}` },
    element('span', { class: 'role' }, edge.kind === edge.role ? edge.role : `${edge.kind}: ${edge.role}`),
    element('button', { type: 'button', class: 'link', click: () => select(other) }, titleOf(other)),
    element('span', { class: 'by' }, words),
    jsonOnDemand('Statement', edge.statement),
  );
}
