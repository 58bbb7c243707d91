import { copyable } from '../copying.ts';
import { button, element } from '../element.ts';
import { bareId, counted } from '../words.ts';
import { symbol, symbolOf } from './drawing/symbols.ts';
import { type Graph, type GraphEdge, type GraphNode, otherEnd } from './graph.ts';
import { kindWords } from './kinds.ts';
import { blobAddress, findAddress, statementAddress } from './lineage-api.ts';
import type { Names } from './names.ts';
import { addressOf } from './question.ts';
import type { Stack } from './stacks.ts';
import { jsonOnDemand } from './statement-json.ts';
import { trustBadge, trustMark, trustWords } from './trust.ts';

/** The data of the details and the actions in them. */
export interface Reading {
  readonly graph: Graph;
  readonly names: Names;
  /** Whether a node is fully loaded. */
  readonly isAsked: (id: string) => boolean;
  readonly select: (id: string) => void;
  readonly expand: (id: string) => void;
}

const rowsAtFirst = 40;
const stackRows = 200;
const metadataRows = 12;

/** Everything that is known about a node. */
export function details(node: GraphNode, reading: Reading, governance: Node): Node[] {
  const { id, kind } = node;
  const { graph, names } = reading;
  const metadata = names.metadataOf(graph, id);
  const near = graph.edgesAt(id);
  const [into, out] = [near.filter(({ to }) => to === id), near.filter(({ from }) => from === id)];
  return [
    element('h2', { tabindex: '-1' }, symbol(symbolOf(node)), names.titleOf(graph, id)),
    element('p', { class: 'kind' }, kindWords(node) + (id === graph.start ? ', the start' : '')),
    ...(node.trust
      ? [element('p', { class: 'vouched' }, trustBadge(trustMark(node.trust)), trustWords(node.trust))]
      : []),
    copyable(bareId(id), 'the identifier'),
    further(node, reading),
    governance,
    ...(metadata ? [metadataList(metadata)] : []),
    ...(kind === 'statement' ? [jsonOnDemand('The statement', id)] : []),
    ...(into.length > 0 ? [edgeList('In', into, id, reading)] : []),
    ...(out.length > 0 ? [edgeList('Out', out, id, reading)] : []),
  ];
}

/** The nodes of a stack, as a list. */
export function stackDetails({ roles, members }: Stack, { graph, names, select }: Reading): Node[] {
  const rows = members.slice(0, stackRows).map((id) =>
    element(
      'li',
      {},
      button(names.titleOf(graph, id), () => select(id), { class: 'link' }),
    ),
  );
  const rest = members.length > stackRows ? ` These are the first ${stackRows}.` : '';
  return [
    element('h2', { tabindex: '-1' }, symbol('stack'), `${members.length} more`),
    element('p', { class: 'kind' }, `All have the same drawn relations (${roles.join(', ')}).${rest}`),
    element('ul', { class: 'edges' }, ...rows),
  ];
}

function further({ id, kind, hidden }: GraphNode, { graph, isAsked, expand }: Reading) {
  const missing = `At least ${counted(hidden, 'edge is', 'edges are')} not here.`;
  const note = isAsked(id) ? ' One answer cannot hold them. The list of all that refers to it has them.' : '';
  const isContent = kind === 'artefact' && id.startsWith('urn:cid:');
  const links = [
    ...(id === graph.start ? [] : [['Start from here', addressOf(new URL(location.href), id).href]]),
    ...(kind === 'statement' ? [['The statement as JSON', statementAddress(id)]] : []),
    ...(isContent ? [['Its bytes, if stored', blobAddress(id)]] : []),
    ['All that refers to it, as JSON', findAddress(id)],
  ];
  return element(
    'div',
    { class: 'further' },
    ...(hidden > 0 ? [element('p', {}, missing + note)] : []),
    ...(isAsked(id) ? [] : [button('Look further from here', () => expand(id))]),
    element('ul', {}, ...links.map(([text = '', href]) => element('li', {}, element('a', { href }, text)))),
  );
}

function metadataList(metadata: Readonly<Record<string, unknown>>) {
  const rows = Object.entries(metadata).slice(0, metadataRows);
  const text = (value: unknown) => (typeof value === 'string' ? value : JSON.stringify(value)).slice(0, 300);
  const list = rows.flatMap(([name, value]) => [element('dt', {}, name), element('dd', {}, text(value))]);
  return element('section', {}, element('h3', {}, 'Metadata'), element('dl', {}, ...list));
}

function edgeList(title: string, edges: readonly GraphEdge[], id: string, reading: Reading) {
  const rows = (from: number, to?: number) => edges.slice(from, to).map((edge) => edgeRow(edge, id, reading));
  const list = element('ul', { class: 'edges' }, ...rows(0, rowsAtFirst));
  const all = button(`Show all ${edges.length}`, () => {
    const rest = rows(rowsAtFirst);
    list.append(...rest);
    rest[0]?.querySelector('button')?.focus();
    all.remove();
  });
  const heading = element('h3', {}, `${title}: ${counted(edges.length, 'edge')}`);
  return element('section', {}, heading, list, ...(edges.length > rowsAtFirst ? [all] : []));
}

function edgeRow(edge: GraphEdge, id: string, { graph, names, select }: Reading) {
  const other = otherEnd(edge, id);
  const { registered_by: registrant } = edge;
  const by = registrant && `registered by ${names.titleOf(graph, registrant)}`;
  const words = [edge.type, edge.unverified && 'unverified', by].filter(Boolean).join(', ');
  return element(
    'li',
    { class: `line ${edge.kind}` },
    element('span', { class: 'role' }, edge.kind === edge.role ? edge.role : `${edge.kind}: ${edge.role}`),
    button(names.titleOf(graph, other), () => select(other), { class: 'link' }),
    element('span', { class: 'by' }, words),
    trustBadge(trustMark(edge.trust), trustWords(edge.trust)),
    jsonOnDemand('Statement', edge.statement),
  );
}
