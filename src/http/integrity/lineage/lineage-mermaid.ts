import type { Lineage, LineageNode } from '../../../domain/integrity/lineage/graph.ts';
import { labelled } from './lineage-labels.ts';

const brackets: Readonly<Record<LineageNode['kind'], readonly [string, string]>> = {
  artefact: ['[', ']'],
  actor: ['([', '])'],
  statement: ['[[', ']]'],
};

/** A lineage as a Mermaid flowchart, line by line. */
export function* lineageMermaid(lineage: Lineage): Generator<string> {
  const { nodes, edges } = labelled(lineage);
  yield 'flowchart LR\n';
  for (const { name, kind, lines } of nodes) {
    const [open, close] = brackets[kind];
    yield `  ${name}${open}"${lines.map(escaped).join('<br/>')}"${close}\n`;
  }
  for (const { from, to, label } of edges) yield `  ${from} -->|"${escaped(label)}"| ${to}\n`;
}

/** Whatever could mean something to Mermaid or to the HTML that it makes is written as a code point. */
function escaped(text: string): string {
  return text.replaceAll(/[^\p{L}\p{N} :._…-]/gu, (character) => `#${character.codePointAt(0)};`);
}
