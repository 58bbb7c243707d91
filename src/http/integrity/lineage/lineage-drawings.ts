import { trustAnswer } from '../../../contract/sentences.ts';
import { bareId, shortId } from '../../../contract/words/text.ts';
import { trustMark } from '../../../contract/words/trust.ts';
import type { Lineage, LineageNode } from '../../../domain/integrity/lineage/graph.ts';
import type { Trust } from '../../../domain/integrity/signatures/trust.ts';

const labelLength = 60;

const dotShapes = { artefact: 'box', actor: 'ellipse', statement: 'component' } as const;
const mermaidBrackets = { artefact: ['[', ']'], actor: ['([', '])'], statement: ['[[', ']]'] } as const;

/** A lineage in DOT, the language of Graphviz, line by line. */
export function* lineageDot(lineage: Lineage, trusts: ReadonlyMap<string, Trust>): Generator<string> {
  const { nodes, edges } = labelled(lineage, trusts);
  yield 'digraph lineage {\n  rankdir=LR;\n';
  for (const { name, kind, lines, cut } of nodes) {
    const style = cut > 0 ? ', style=dashed' : '';
    yield `  ${name} [shape=${dotShapes[kind]}, label="${lines.map(escapedForDot).join('\\n')}"${style}];\n`;
  }
  for (const { from, to, label } of edges) yield `  ${from} -> ${to} [label="${escapedForDot(label)}"];\n`;
  yield '}\n';
}

/** A lineage as a Mermaid flowchart, line by line. */
export function* lineageMermaid(lineage: Lineage, trusts: ReadonlyMap<string, Trust>): Generator<string> {
  const { nodes, edges } = labelled(lineage, trusts);
  yield 'flowchart LR\n';
  for (const { name, kind, lines } of nodes) {
    const [open, close] = mermaidBrackets[kind];
    yield `  ${name}${open}"${lines.map(escapedForMermaid).join('<br/>')}"${close}\n`;
  }
  for (const { from, to, label } of edges) yield `  ${from} -->|"${escapedForMermaid(label)}"| ${to}\n`;
}

/** Short names that are safe in any notation, and labels. Labels contain foreign text, so each notation escapes them. */
function labelled({ nodes, edges }: Lineage, trusts: ReadonlyMap<string, Trust>) {
  const names = new Map(nodes.map(({ id }, at) => [id, `n${at}`]));
  const nameOf = (id: string) => names.get(id) ?? '';
  return {
    nodes: nodes.values().map((node) => ({ ...node, name: nameOf(node.id), lines: linesOf(node, trusts) })),
    edges: edges.values().map(({ from, to, role, type, statement, isTrusted }) => ({
      from: nameOf(from),
      to: nameOf(to),
      label: shortened(
        [role, type, isTrusted ? undefined : 'unverified', markOf(trusts.get(statement))]
          .filter(Boolean)
          .join(' '),
      ),
    })),
  };
}

function linesOf({ id, type, name, failed, cut }: LineageNode, trusts: ReadonlyMap<string, Trust>): string[] {
  const mark = markOf(trusts.get(id));
  return [
    ...(name === undefined ? [] : [shortened(name)]),
    ...(type === undefined ? [] : [shortened(type)]),
    name === undefined ? shortened(bareId(id)) : shortId(id),
    ...(failed ? ['failed'] : []),
    ...(mark === undefined ? [] : [mark]),
    ...(cut > 0 ? [`${cut} or more not shown`] : []),
  ];
}

/** Most statements are claims, so only the others have a mark. */
function markOf(trust: Trust | undefined): string | undefined {
  const mark = trust && trustMark(trustAnswer(trust));
  if (mark === 'invalid') return 'signature not valid now';
  return mark === 'claimed' ? undefined : mark;
}

/** Keeps both ends, which distinguish identifiers. */
function shortened(text: string): string {
  if (text.length <= labelLength) return text;
  return `${text.slice(0, labelLength / 2)}…${text.slice(-8)}`;
}

/** In a quoted string, Graphviz interprets backslashes and, in labels, HTML entities. */
function escapedForDot(text: string): string {
  return text
    .replaceAll(/[\p{C}\p{Zl}\p{Zp}]/gu, '\u{fffd}')
    .replaceAll('\\', '\\\\')
    .replaceAll('"', '\\"')
    .replaceAll('&', '&amp;');
}

/** Writes every character that Mermaid or its HTML could interpret as a code point. */
function escapedForMermaid(text: string): string {
  return text.replaceAll(/[^\p{L}\p{N} :._…-]/gu, (character) => `#${character.codePointAt(0)};`);
}
