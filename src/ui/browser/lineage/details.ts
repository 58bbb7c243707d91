import { bareId, counted } from '../../../contract/words/text.ts';
import { trustMark, trustWords } from '../../../contract/words/trust.ts';
import { askJson } from '../api.ts';
import { markBadge, trustBadge } from '../badge.ts';
import { copyable } from '../copying.ts';
import { breakable, button, element } from '../element.ts';
import { folded } from '../folded.ts';
import { kindWords, symbol, symbolOf } from '../kinds.ts';
import { timeElement } from '../times.ts';
import { type Graph, type GraphEdge, type GraphNode, otherEnd } from './graph.ts';
import { blobAddress, findAddress, statementAddress } from './lineage-api.ts';
import { addressOf } from './question.ts';
import { isFact, isFlow } from './shown.ts';
import type { Stack } from './stacks.ts';
import { timeOf, titleOf } from './titles.ts';

/** The data of the details and the actions in them. */
export interface Reading {
  readonly graph: Graph;
  /** Whether a node is fully loaded. */
  readonly isAsked: (id: string) => boolean;
  readonly select: (id: string) => void;
  readonly expand: (id: string) => void;
}

const rowsAtFirst = 40;
const stackRows = 200;

/** Everything that is known about a node. */
export function details(node: GraphNode, reading: Reading, loaded: readonly Node[]): Node[] {
  const { id, kind } = node;
  const { graph } = reading;
  const time = timeOf(graph, id);
  const near = graph.edgesAt(id).toSorted((a, b) => Number(isFlow(b)) - Number(isFlow(a)));
  const [facts, links] = split(near, (edge) => isFact(graph, edge));
  const [into, out] = split(links, ({ to }) => to === id);
  const what = folderWords(node) + (id === graph.start ? ', the start' : '');
  const when = kind === 'statement' && time !== undefined ? [', ', timeElement(time)] : [];
  return [
    element('h2', { tabindex: '-1' }, symbol(symbolOf(node)), ...breakable(titleOf(graph, id))),
    element('p', { class: 'kind' }, what, ...when),
    ...(node.trust
      ? [element('p', { class: 'vouched' }, markBadge(trustMark(node.trust)), trustWords(node.trust))]
      : []),
    copyable(bareId(id), 'the identifier'),
    further(node, reading),
    ...loaded,
    ...(kind === 'statement' ? [statementJson('The statement', id)] : []),
    ...(into.length > 0 ? [edgeList('In', into, id, reading)] : []),
    ...(out.length > 0 ? [edgeList('Out', out, id, reading)] : []),
    ...(facts.length > 0 ? [edgeList('Facts', facts, id, reading)] : []),
  ];
}

function folderWords(node: GraphNode): string {
  return node.files === undefined ? kindWords(node) : `Folder of ${counted(node.files, 'file')}`;
}

/** The nodes of a stack, as a list. */
export function stackDetails({ roles, members }: Stack, { graph, select }: Reading): Node[] {
  const rows = members.slice(0, stackRows).map((id) => {
    const link = button(titleOf(graph, id), () => select(id), { class: 'link' });
    return element('li', {}, link);
  });
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
    hidden > 0 && element('p', {}, missing + note),
    !isAsked(id) && button('Look further from here', () => expand(id)),
    element('ul', {}, ...links.map(([text = '', href]) => element('li', {}, element('a', { href }, text)))),
  );
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
  return element('section', {}, heading, list, edges.length > rowsAtFirst && all);
}

/** The path of a file in its folder, or else the field of the statement. */
function relationOf({ kind, role, path, from }: GraphEdge, id: string): string {
  if (path !== undefined) return from === id ? `contains ${path}` : `part of, as ${path}`;
  return kind === role ? role : `${kind}: ${role}`;
}

function edgeRow(edge: GraphEdge, id: string, { graph, select }: Reading) {
  const other = otherEnd(edge, id);
  return element(
    'li',
    { class: `line ${edge.kind}` },
    element('span', { class: 'role' }, relationOf(edge, id)),
    button(titleOf(graph, other), () => select(other), { class: 'link' }),
    ...(edge.statement === id ? [] : statementOf(edge, graph)),
  );
}

/** Who made an edge, when, and whether that is signed. */
function statementOf(edge: GraphEdge, graph: Graph): Node[] {
  const { registered_by: registrant, timestamp } = edge;
  const by = registrant && `registered by ${titleOf(graph, registrant)}`;
  const words = [edge.type, edge.unverified && 'unverified', by].filter(Boolean).join(', ');
  return [
    element('span', { class: 'by' }, words),
    ...(timestamp === undefined ? [] : [element('span', { class: 'when' }, timeElement(timestamp))]),
    trustBadge(edge.trust),
    statementJson('Statement', edge.statement),
  ];
}

function statementJson(title: string, id: string): HTMLElement {
  const load = async () => JSON.stringify(await askJson(statementAddress(id)), undefined, 2);
  return folded(title, load, copyable(bareId(id), 'the statement id'));
}

function split<Item>(items: readonly Item[], isFirst: (item: Item) => boolean): [Item[], Item[]] {
  return [items.filter(isFirst), items.filter((item) => !isFirst(item))];
}
