import type { LineageAnswer, LineageEdgeAnswer } from '../../../contract/integrity/lineage.ts';
import { containment } from '../../../domain/integrity/kinds/kind.ts';
import type { Flow } from '../../../domain/integrity/lineage/edges.ts';
import type { TextTree } from '../../terminal/output.ts';
import { edgesByEnd, isStep, relation, stepEnd, type Titles } from './lineage-words.ts';

/** Longer rows of similar nodes are stacked after the first ones. */
const longestRow = 6;
const besideStack = 5;
/** About one screen. Nodes beyond it stay folded. */
const mostLines = 40;

interface OpenNode {
  readonly id: string;
  readonly line: string;
  readonly flow?: Flow;
  readonly branches: OpenNode[];
  more: number;
}

/**
 * The nearest part of a lineage: everything about the start, and inputs and outputs of computations, nearest first. Rows
 * of similar nodes are stacked.
 */
export class FoldedTree {
  readonly #lineage: LineageAnswer;
  readonly #titles: Titles;
  readonly #edges: ReadonlyMap<string, readonly LineageEdgeAnswer[]>;
  readonly #hidden: ReadonlyMap<string, number>;
  readonly #shown = { upstream: new Set<string>(), downstream: new Set<string>() };
  #lines = 0;

  constructor(lineage: LineageAnswer, titles: Titles) {
    this.#lineage = lineage;
    this.#titles = titles;
    this.#edges = edgesByEnd(lineage.edges);
    this.#hidden = new Map(lineage.nodes.map(({ id, hidden_edges = 0 }) => [id, hidden_edges]));
  }

  draw(flows: readonly Flow[]): TextTree {
    const { id } = this.#lineage;
    const root: OpenNode = { id, line: this.#titles.shown(id), branches: [], more: 0 };
    for (const flow of flows) this.#shown[flow].add(id);
    const facts = this.#edgesOf(id).filter((edge) => !isStep(edge));
    this.#branch(root, facts, (edge) => (edge.from === id ? edge.to : edge.from));
    const queue: OpenNode[] = [];
    for (const flow of flows) queue.push(...this.#steps(root, flow));
    // The queue grows meanwhile, so that the nearest nodes are opened first.
    for (const node of queue) {
      if (this.#lines < mostLines && node.flow) queue.push(...this.#steps(node, node.flow));
      else node.more += node.flow ? this.#stepEdges(node.id, node.flow).length : 0;
    }
    return treeOf(root);
  }

  #edgesOf(id: string): readonly LineageEdgeAnswer[] {
    return this.#edges.get(id) ?? [];
  }

  #stepEdges(id: string, flow: Flow): readonly LineageEdgeAnswer[] {
    return this.#edgesOf(id).filter((edge) => stepEnd(edge, id, flow) !== undefined);
  }

  /** @returns the nodes to open next. */
  #steps(node: OpenNode, flow: Flow): OpenNode[] {
    const endOf = (edge: LineageEdgeAnswer) => stepEnd(edge, node.id, flow) ?? '';
    const leadsOn = (edge: LineageEdgeAnswer) =>
      this.#stepEdges(endOf(edge), flow).some((next) => next !== edge);
    // A folder or file is shown in the flow in which it leads to something.
    const edges = this.#stepEdges(node.id, flow).filter(
      (edge) => edge.kind !== containment.name || leadsOn(edge),
    );
    const sorted = [...edges.filter(leadsOn), ...edges.filter((edge) => !leadsOn(edge))];
    return this.#branch(node, sorted, endOf, flow);
  }

  /** Adds branches, each kind of relation in a row. @returns those that were not shown before. */
  #branch(
    node: OpenNode,
    edges: readonly LineageEdgeAnswer[],
    endOf: (edge: LineageEdgeAnswer) => string,
    flow?: Flow,
  ): OpenNode[] {
    const opened: OpenNode[] = [];
    for (const [words, row] of Map.groupBy(edges, (edge) => relation(edge, node.id, endOf(edge)))) {
      const ids = [...new Set(row.map(endOf))];
      const beside = ids.slice(0, ids.length > longestRow ? besideStack : longestRow);
      for (const id of beside) {
        const isShown = flow !== undefined && this.#shown[flow].has(id);
        const line = `${words}: ${this.#titles.of(id)}${isShown ? ' (shown elsewhere)' : ''}`;
        const more = isShown ? 0 : (this.#hidden.get(id) ?? 0);
        const branch: OpenNode = { id, line, ...(flow && { flow }), branches: [], more };
        node.branches.push(branch);
        if (flow === undefined || isShown) continue;
        this.#shown[flow].add(id);
        opened.push(branch);
      }
      const stacked = ids.length - beside.length;
      if (stacked > 0)
        node.branches.push({ id: '', line: `… ${stacked} more: ${words}`, branches: [], more: 0 });
      this.#lines += beside.length + (stacked > 0 ? 1 : 0);
    }
    return opened;
  }
}

function treeOf({ line, branches, more }: OpenNode): TextTree {
  const folded = more > 0 ? ` … ${more} more` : '';
  return { lines: [line + folded], branches: branches.map(treeOf) };
}
