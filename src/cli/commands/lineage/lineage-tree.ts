import type { LineageAnswer, LineageEdgeAnswer } from '../../../contract/integrity/lineage.ts';
import type { Flow } from '../../../domain/integrity/lineage/edges.ts';
import { shownIdentifier } from '../../terminal/identifier.ts';
import { printableLine, type TextTree } from '../../terminal/output.ts';
import { edgesByEnd, endsOf, isStep, relation, stepEnd, trustNote, vouching } from './lineage-words.ts';

export interface TreeOptions {
  readonly flows: readonly Flow[];
  /** How to see the hidden edges of a node, in the flow in which it was reached. */
  readonly adviceFor: (id: string, flow: Flow | undefined) => string;
}

/** A lineage as a tree from its start. The branches of each node are shown once. */
export class LineageTree {
  readonly #lineage: LineageAnswer;
  readonly #options: TreeOptions;
  readonly #nodes: ReadonlyMap<string, LineageAnswer['nodes'][number]>;
  readonly #edges: ReadonlyMap<string, readonly LineageEdgeAnswer[]>;
  /** Nodes on steps. Their branches are shown there and not at other mentions. */
  readonly #stepNodes: ReadonlySet<string>;
  readonly #shown = { upstream: new Set<string>(), downstream: new Set<string>(), facts: new Set<string>() };
  /** Edges that are not steps and are in the tree already, at one of their ends. */
  readonly #shownFacts = new Set<LineageEdgeAnswer>();

  constructor(lineage: LineageAnswer, options: TreeOptions) {
    this.#lineage = lineage;
    this.#options = options;
    this.#nodes = new Map(lineage.nodes.map((node) => [node.id, node]));
    this.#edges = edgesByEnd(lineage.edges);
    this.#stepNodes = new Set([lineage.id, ...lineage.edges.filter(isStep).flatMap(endsOf)]);
  }

  root(): TextTree {
    const { id } = this.#lineage;
    const own = this.#edgesOf(id).find(({ statement }) => statement === id);
    const vouched = own ? this.#vouched(own, undefined, id) : [];
    return this.#open(id, [this.#named(id), ...vouched], this.#options.flows);
  }

  #edgesOf(id: string): readonly LineageEdgeAnswer[] {
    return this.#edges.get(id) ?? [];
  }

  #named(id: string): string {
    const { type, kind = '', name, failed, trust } = this.#nodes.get(id) ?? {};
    return [
      type ?? kind,
      shownIdentifier(id, name, { isFull: true }),
      failed && '(failed)',
      trust && trustNote(trust),
    ]
      .filter(Boolean)
      .join(' ');
  }

  /** Who vouches for an edge. The edge to the author of its statement is not shown again. */
  #vouched(edge: LineageEdgeAnswer, at: string | undefined, id: string): string[] {
    if (edge.statement === at) return [];
    for (const own of edge.statement === id ? this.#edgesOf(id) : []) {
      if (own.role === 'registeredBy' && own.to === id && own.from === edge.registered_by)
        this.#shownFacts.add(own);
    }
    return vouching(edge, at, id);
  }

  /** A node with its branches, shown for the first time in these flows. */
  #open(id: string, lines: readonly string[], flows: readonly Flow[]): TextTree {
    const { hidden_edges: hidden } = this.#nodes.get(id) ?? {};
    const isNew = !this.#shown.facts.has(id);
    this.#shown.facts.add(id);
    for (const flow of flows) this.#shown[flow].add(id);
    const cut =
      isNew && hidden ? [`${hidden} or more edges not shown: ${this.#options.adviceFor(id, flows[0])}`] : [];
    const branches = [...this.#facts(id), ...flows.flatMap((flow) => this.#steps(id, flow))];
    return { lines: [...lines, ...cut].map(printableLine), branches };
  }

  /** Other edges of a node on a step; for a statement beside it, the nodes that it links. */
  #facts(id: string): TextTree[] {
    const isBeside = !this.#stepNodes.has(id);
    if (isBeside && this.#nodes.get(id)?.kind !== 'statement') return [];
    return this.#edgesOf(id).flatMap((edge) => {
      const other = edge.from === id ? edge.to : edge.from;
      if (isStep(edge) || this.#shownFacts.has(edge) || (isBeside && this.#stepNodes.has(other))) return [];
      this.#shownFacts.add(edge);
      const isShown = this.#shown.facts.has(other);
      if (!isShown && !this.#stepNodes.has(other))
        return [this.#open(other, this.#linesOf(edge, id, other), [])];
      const place = isShown ? ' (see above)' : ' (see below)';
      return [this.#mention(edge, id, other, this.#hasBranches(other) ? place : '')];
    });
  }

  /** From an artefact to its computations, and from a computation to its other ends. */
  #steps(id: string, flow: Flow): TextTree[] {
    return this.#edgesOf(id).flatMap((edge) => {
      const end = stepEnd(edge, id, flow);
      if (end === undefined) return [];
      return this.#shown[flow].has(end)
        ? this.#mention(edge, id, end, ' (see above)')
        : this.#open(end, this.#linesOf(edge, id, end), [flow]);
    });
  }

  #mention(edge: LineageEdgeAnswer, at: string, id: string, place: string): TextTree {
    const [name, ...vouched] = this.#linesOf(edge, at, id);
    return { lines: [name + place, ...vouched].map(printableLine), branches: [] };
  }

  #linesOf(edge: LineageEdgeAnswer, at: string, id: string): [string, ...string[]] {
    return [`${relation(edge, at, id)}: ${this.#named(id)}`, ...this.#vouched(edge, at, id)];
  }

  #hasBranches(id: string): boolean {
    return this.#stepNodes.has(id) || this.#nodes.get(id)?.kind === 'statement';
  }
}
