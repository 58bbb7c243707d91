import { counted } from '../../../../contract/words/text.ts';
import { allMarks, type TrustMark, trustMark, trustMarks } from '../../../../contract/words/trust.ts';
import { markBadge } from '../../badge.ts';
import { drawn, element } from '../../element.ts';
import { kindWords, shownKinds, symbol, symbolOf } from '../../kinds.ts';
import type { Graph } from '../graph.ts';
import { arrow } from './lines.ts';

/** The kinds of nodes and edges and the marks in a graph with their meaning and number. */
export function legend(graph: Graph): Node[] {
  const { nodes, edges } = graph;
  const kinds = [...Map.groupBy(nodes.values(), kindWords)].map(([words, [first, ...others]]) =>
    element('li', {}, first ? symbol(symbolOf(first)) : '', `${words}: ${others.length + 1}`),
  );
  const lines = [...Map.groupBy(edges.values(), ({ kind }) => kind)].map(([kind, { length }]) => {
    const words = element('span', {}, element('b', {}, kind), ` ${shownKinds.edges[kind] ?? ''}: ${length}`);
    return element('li', {}, sample(kind), words);
  });
  const marks = marksIn(graph).map(([mark, count]) =>
    element(
      'li',
      { class: 'mark' },
      markBadge(mark),
      element('span', {}, `${trustMarks[mark].meaning}: ${count}`),
    ),
  );
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
export function summary({ nodes, edges, retracted }: Graph, drawnNodes: number): string {
  const cut = nodes.values().filter(({ hidden }) => hidden > 0);
  const cutNodes = [...cut].length;
  const some = drawnNodes < nodes.size ? `; ${counted(drawnNodes, 'node is', 'nodes are')} drawn` : '';
  const more = ` There is more: at ${counted(cutNodes, 'node')} edges are left out, and + asks for them.`;
  return `${counted(nodes.size, 'node')} and ${counted(edges.size, 'edge')}${some}.${cutNodes > 0 ? more : ''}${retracted > 0 ? ` ${counted(retracted, 'retracted computation is', 'retracted computations are')} left out.` : ''}`;
}
