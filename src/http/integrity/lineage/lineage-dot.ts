import type { Lineage, LineageNode } from '../../../domain/integrity/lineage/graph.ts';
import { labelled } from './lineage-labels.ts';

const shapes: Readonly<Record<LineageNode['kind'], string>> = {
  artefact: 'box',
  actor: 'ellipse',
  statement: 'component',
};

/** A lineage in DOT, the language of Graphviz, line by line. */
export function* lineageDot(lineage: Lineage): Generator<string> {
  const { nodes, edges } = labelled(lineage);
  yield 'digraph lineage {\n  rankdir=LR;\n';
  for (const { name, kind, lines, cut } of nodes) {
    const style = cut > 0 ? ', style=dashed' : '';
    yield `  ${name} [shape=${shapes[kind]}, label="${lines.map(escaped).join('\\n')}"${style}];\n`;
  }
  for (const { from, to, label } of edges) yield `  ${from} -> ${to} [label="${escaped(label)}"];\n`;
  yield '}\n';
}

/** For the inside of a quoted string, where Graphviz knows backslashes and, in labels, entities of HTML. */
function escaped(text: string): string {
  return text
    .replaceAll(/[\p{C}\p{Zl}\p{Zp}]/gu, '\u{fffd}')
    .replaceAll('\\', '\\\\')
    .replaceAll('"', '\\"')
    .replaceAll('&', '&amp;');
}
