import type { Lineage, LineageNode } from '../../domain/integrity/lineage-graph.ts';
import { labelled } from './lineage-labels.ts';

const brackets: Readonly<Record<LineageNode['kind'], readonly [string, string]>> = {
  artefact: ['[', ']'],
  actor: ['([', '])'],
  statement: ['[[', ']]'],
};

/** A lineage as a Mermaid flowchart. */
export function lineageMermaid(lineage: Lineage): string {
  const { nodes, edges } = labelled(lineage);
  const lines = [
    ...nodes.map(({ name, kind, lines }) => {
      const [open, close] = brackets[kind];
      return `  ${name}${open}"${lines.map(escaped).join('<br/>')}"${close}`;
    }),
    ...edges.map(({ from, to, label }) => `  ${from} -->|"${escaped(label)}"| ${to}`),
  ];
  return `flowchart LR\n${lines.join('\n')}\n`;
}

/** Whatever could mean something to Mermaid or to the HTML that it makes is written as a code point. */
function escaped(text: string): string {
  return text.replaceAll(/[^\p{L}\p{N} :._…-]/gu, (character) => `#${character.codePointAt(0)};`);
}
