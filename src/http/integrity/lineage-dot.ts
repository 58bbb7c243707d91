import type { Lineage, LineageNode } from '../../domain/integrity/lineage-graph.ts';
import { labelled } from './lineage-labels.ts';

const shapes: Readonly<Record<LineageNode['kind'], string>> = {
  artefact: 'box',
  actor: 'ellipse',
  statement: 'component',
};

/** A lineage in DOT, the language of Graphviz. */
export function lineageDot(lineage: Lineage): string {
  const { nodes, edges } = labelled(lineage);
  const lines = [
    ...nodes.map(({ name, kind, lines, cut }) => {
      const style = cut > 0 ? ', style=dashed' : '';
      return `  ${name} [shape=${shapes[kind]}, label="${lines.map(escaped).join('\\n')}"${style}];`;
    }),
    ...edges.map(({ from, to, label }) => `  ${from} -> ${to} [label="${escaped(label)}"];`),
  ];
  return `digraph lineage {\n  rankdir=LR;\n${lines.join('\n')}\n}\n`;
}

/** For the inside of a quoted string, where Graphviz knows backslashes and, in labels, entities of HTML. */
function escaped(text: string): string {
  return text
    .replaceAll(/[\p{C}\p{Zl}\p{Zp}]/gu, '\u{fffd}')
    .replaceAll('\\', '\\\\')
    .replaceAll('"', '\\"')
    .replaceAll('&', '&amp;');
}
