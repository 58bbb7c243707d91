import { statementStart } from '../identifiers/cid.ts';
import type { ReferringStatement } from '../statements/rows.ts';
import { type LineageEdge, statementNode } from './edges.ts';

export interface LineageNode {
  /** An identifier. Of bytes that are drawn once in each graph (see `OneNode`), with `#` and the graph behind it. */
  readonly id: string;
  readonly kind: 'artefact' | 'actor' | 'statement';
  /** The kind of statement, if the node is a statement. */
  readonly type?: string;
  /** The name that metadata gives it. */
  readonly name?: string;
  /** Whether it is a computation that failed or was aborted, as its registrant says. */
  readonly failed?: true;
  /** How many files a folder has. Only those are drawn about which something is stated, or which were asked for. */
  readonly files?: number;
  /** Steps from the start when it was first reached. */
  readonly depth: number;
  /** At least this many edges of the node are left out because of a limit. */
  readonly cut: number;
}

export interface Lineage {
  readonly start: string;
  /** The start, then the others in the order of being reached. Every node is linked to an earlier one. */
  readonly nodes: readonly LineageNode[];
  readonly edges: readonly LineageEdge[];
  readonly isTruncated: boolean;
  /** How many computations are left out because they are retracted, if any. */
  readonly retracted?: number;
}

const edgesPerNode = 4;

/** How an edge is added. Facts are edges that are not followed. They take at most half of the nodes. */
export interface Addition {
  readonly depth: number;
  readonly isFact: boolean;
}

/** The nodes and edges of a traversal within its limits. At most half of the nodes come from facts. */
export class LineageGraph {
  readonly #start: string;
  readonly #limit: number;
  readonly #nodes = new Map<string, { -readonly [Field in keyof LineageNode]: LineageNode[Field] }>();
  readonly #edges = new Map<string, LineageEdge>();
  /** Edges without room. A later path to the same nodes may still add them. */
  readonly #leftOut = new Map<string, LineageEdge>();
  #factNodes = 0;

  constructor(start: string, limit: number, statement: ReferringStatement | undefined) {
    this.#start = start;
    this.#limit = limit;
    this.#addNode(start, 0, statement);
  }

  get isFull(): boolean {
    return this.#nodes.size >= this.#limit || this.#edges.size >= edgesPerNode * this.#limit;
  }

  hasNode(id: string): boolean {
    return this.#nodes.has(id);
  }

  hasEdge(edge: LineageEdge): boolean {
    return this.#edges.has(edgeKey(edge));
  }

  /** Adds an edge and its missing node. Without room, the edge is left out. @returns whether the graph has the edge. */
  add(statement: ReferringStatement, edge: LineageEdge, { depth, isFact }: Addition): boolean {
    const key = edgeKey(edge);
    if (this.#edges.has(key)) return true;
    const missing = new Set([edge.from, edge.to].filter((id) => !this.#nodes.has(id)));
    if (!this.#hasRoom(missing.size, { isFact })) {
      if (this.#leftOut.size < edgesPerNode * this.#limit) this.#leftOut.set(key, edge);
      else this.#cutAtEnds(edge);
      return false;
    }
    for (const id of missing) this.#addNode(id, depth, statement);
    if (isFact) this.#factNodes += missing.size;
    this.#edges.set(key, edge);
    this.#leftOut.delete(key);
    return true;
  }

  /** Notes left-out edges of a node. Does nothing for unknown nodes. */
  cut(id: string, atLeast: number): void {
    const node = this.#nodes.get(id);
    if (node) node.cut += atLeast;
  }

  /** Must be called once. @param files the number of files of each folder. */
  result(files: ReadonlyMap<string, number>): Lineage {
    for (const edge of this.#leftOut.values()) this.#cutAtEnds(edge);
    const nodes = Array.from(this.#nodes.values(), (node) => {
      const count = files.get(node.id);
      return count === undefined ? node : { ...node, files: count };
    });
    return {
      start: this.#start,
      nodes,
      edges: [...this.#edges.values()],
      isTruncated: nodes.some(({ cut }) => cut > 0),
    };
  }

  #cutAtEnds({ from, to }: LineageEdge): void {
    for (const id of new Set([from, to])) this.cut(id, 1);
  }

  #hasRoom(nodes: number, { isFact }: Pick<Addition, 'isFact'>): boolean {
    if (this.#edges.size >= edgesPerNode * this.#limit) return false;
    if (isFact && nodes > 0 && this.#factNodes + nodes > this.#limit / 2) return false;
    return this.#nodes.size + nodes <= this.#limit;
  }

  #addNode(id: string, depth: number, statement: ReferringStatement | undefined): void {
    const isMaker = statement !== undefined && statementNode(statement) === id;
    this.#nodes.set(id, { id, kind: nodeKind(id), ...(isMaker && { type: statement.kind }), depth, cut: 0 });
  }
}

function edgeKey({ from, to, role, statement, path = '' }: LineageEdge): string {
  return `${statement} ${from} ${to} ${role}${path}`;
}

function nodeKind(id: string): LineageNode['kind'] {
  if (id.startsWith('did:')) return 'actor';
  return id.startsWith(statementStart) ? 'statement' : 'artefact';
}
