import { bareIdentifier } from '../../../domain/integrity/identifiers/identifiers.ts';
import type { Lineage, LineageNode } from '../../../domain/integrity/lineage/graph.ts';

const labelLength = 60;

export interface LabelledNode extends LineageNode {
  /** A name that is made here, and safe in any notation. */
  readonly name: string;
  /** Lines for people to read. They are the words of strangers: each notation has to quote them. */
  readonly lines: readonly string[];
}

export interface LabelledEdge {
  readonly from: string;
  readonly to: string;
  readonly label: string;
}

/** A lineage as drawings show it: short names, and what stands on nodes and edges. */
export function labelled({ nodes, edges }: Lineage): {
  nodes: Iterable<LabelledNode>;
  edges: Iterable<LabelledEdge>;
} {
  const names = new Map(nodes.map(({ id }, at) => [id, `n${at}`]));
  const nameOf = (id: string) => names.get(id) ?? '';
  return {
    nodes: nodes.values().map((node) => ({ ...node, name: nameOf(node.id), lines: linesOf(node) })),
    edges: edges.values().map(({ from, to, role, type, isTrusted }) => ({
      from: nameOf(from),
      to: nameOf(to),
      label: shortened([role, type, isTrusted ? undefined : 'unverified'].filter(Boolean).join(' ')),
    })),
  };
}

function linesOf({ id, type, cut }: LineageNode): string[] {
  return [
    ...(type === undefined ? [] : [shortened(type)]),
    shortened(bareIdentifier(id)),
    ...(cut > 0 ? [`${cut} or more not shown`] : []),
  ];
}

/** Ends are what tells identifiers apart. */
function shortened(text: string): string {
  if (text.length <= labelLength) return text;
  return `${text.slice(0, labelLength / 2)}…${text.slice(-8)}`;
}
