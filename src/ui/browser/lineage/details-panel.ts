import { counted } from '../../../contract/words/text.ts';
import { allMarks, type TrustMark, trustMark, trustMarks } from '../../../contract/words/trust.ts';
import { markBadge } from '../badge.ts';
import { breakable, drawn, element, part } from '../element.ts';
import { kindWords, shownKinds, symbol, symbolOf } from '../kinds.ts';
import { details, type Reading, stackDetails } from './details.ts';
import { arrow } from './drawing/lines.ts';
import { Governance } from './governance.ts';
import type { Graph } from './graph.ts';
import { LogFacts } from './log-facts.ts';
import { Metadata } from './metadata.ts';
import { NodeList } from './node-list.ts';
import type { ShownNode } from './shown.ts';
import { titleOf } from './titles.ts';

interface PanelContent extends Reading {
  readonly shown: ReadonlyMap<string, ShownNode>;
  readonly selected: string | undefined;
}

/** The panel beside the drawing. */
export class DetailsPanel {
  readonly #details = part('details');
  readonly #list = new NodeList();
  readonly #governance = new Governance();
  readonly #metadata = new Metadata();
  readonly #log = new LogFacts();

  show(panel: PanelContent) {
    const drawnNodes = panel.shown.values().filter(({ stack }) => !stack);
    part('legend').replaceChildren(...legend(panel.graph));
    part('summary').textContent = summary(panel.graph, [...drawnNodes].length);
    const isReading = this.#details.contains(document.activeElement);
    this.#list.show(panel, panel.selected);
    this.#details.replaceChildren(
      ...contentOf(panel, [this.#metadata.box, this.#governance.box], this.#log.box),
    );
    nameStart(panel);
    void this.#metadata.show(panel.graph, panel.graph.nodes.get(panel.selected ?? ''));
    void this.#log.show(panel.graph, panel.graph.nodes.get(panel.selected ?? ''));
    void this.#governance.show(panel.selected ?? panel.graph.start);
    // Following a link from node to node keeps the focus in the details.
    if (isReading) this.#details.querySelector('h2')?.focus();
  }
}

function contentOf(
  { shown, selected = '', ...reading }: PanelContent,
  loaded: readonly Node[],
  log: Node,
): Node[] {
  const node = reading.graph.nodes.get(selected);
  const stack = shown.get(selected)?.stack;
  if (node) return details(node, reading, [log, ...loaded]);
  if (stack) return stackDetails(stack, reading);
  return [element('p', { class: 'hint' }, 'Choose a node to see its details.'), log];
}

function nameStart({ graph }: PanelContent) {
  if (!graph.nodes.has(graph.start)) return;
  const heading = `Lineage of ${titleOf(graph, graph.start)}`;
  part('heading').replaceChildren(...breakable(heading));
  document.title = `${heading} · Cairn`;
}

/** The kinds of nodes and edges and the marks in a graph with their meaning and number. */
function legend(graph: Graph): Node[] {
  const { nodes, edges } = graph;
  const kinds = [...Map.groupBy(nodes.values(), kindWords)].map(([words, [first, ...others]]) =>
    element('li', {}, first ? symbol(symbolOf(first)) : '', `${words}: ${others.length + 1}`),
  );
  const lines = [...Map.groupBy(edges.values(), ({ kind }) => kind)].map(([kind, { length }]) => {
    const words = element('span', {}, element('b', {}, kind), ` ${shownKinds.edges[kind] ?? ''}: ${length}`);
    return element('li', {}, sample(kind), words);
  });
  const marks = marksIn(graph).map(([mark, count]) => {
    const words = element('span', {}, `${trustMarks[mark].meaning}: ${count}`);
    return element('li', { class: 'mark' }, markBadge(mark), words);
  });
  return [kinds, lines, marks].map((items) => element('ul', { class: 'legend' }, ...items));
}

/** The marks of statements, with their number. */
function marksIn({ nodes, edges }: Graph): (readonly [TrustMark, number])[] {
  const marks = new Map<string, TrustMark>();
  for (const { statement, trust } of edges.values()) marks.set(statement, trustMark(trust));
  for (const { id, trust } of nodes.values()) if (trust) marks.set(id, trustMark(trust));
  const counts = Map.groupBy(marks.values(), (mark) => mark);
  return allMarks.flatMap((mark) => {
    const count = counts.get(mark)?.length ?? 0;
    return count === 0 ? [] : [[mark, count] as const];
  });
}

function sample(kind: string): SVGElement {
  const size = { width: '32', height: '12' };
  return drawn('svg', { class: `line ${kind}`, ...size, 'aria-hidden': 'true' }, arrow(kind, 'M1 6 H28'));
}

/** How much is drawn and how much there is. */
function summary({ nodes, edges, retracted }: Graph, drawnNodes: number): string {
  const cut = nodes.values().filter(({ hidden }) => hidden > 0);
  const cutNodes = [...cut].length;
  const some = drawnNodes < nodes.size ? `; ${counted(drawnNodes, 'node is', 'nodes are')} drawn` : '';
  const more = ` There is more: at ${counted(cutNodes, 'node')} edges are left out, and + asks for them.`;
  return `${counted(nodes.size, 'node')} and ${counted(edges.size, 'edge')}${some}.${cutNodes > 0 ? more : ''}${retracted > 0 ? ` ${counted(retracted, 'retracted computation is', 'retracted computations are')} left out.` : ''}`;
}
