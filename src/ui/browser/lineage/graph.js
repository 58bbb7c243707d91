/**
 * @typedef {object} GraphNode
 * @property {string} id
 * @property {'artefact' | 'actor' | 'statement'} kind
 * @property {string} [type] of a statement that is a node
 * @property {number} hidden minimum number of edges that are not in the graph
 */

/**
 * @typedef {object} GraphEdge
 * @property {string} key
 * @property {string} from
 * @property {string} to
 * @property {string} kind
 * @property {string} role
 * @property {string} statement
 * @property {string} [type] of an association
 * @property {string} [registered_by]
 * @property {boolean} [unverified]
 */

/**
 * An answer of `GET /lineage/v1/{id}`.
 * @typedef {object} Lineage
 * @property {string} id
 * @property {{ id: string, kind: GraphNode['kind'], type?: string, hidden_edges?: number }[]} nodes
 * @property {Omit<GraphEdge, 'key'>[]} edges
 */

/** The combined answers of the service. */
export class Graph {
  start = '';
  /** @type {Map<string, GraphNode>} */
  nodes = new Map();
  /** @type {Map<string, GraphEdge>} */
  edges = new Map();
  /** @type {Map<string, GraphEdge[]>} */
  #near = new Map();

  /** @param {Lineage} first */
  constructor(first) {
    this.start = first.id;
    this.merge(first);
  }

  /**
   * Adds another answer. Its count of hidden edges replaces that of the requested node. For other nodes the count can
   * only decrease.
   * @param {Lineage} answer
   */
  merge(answer) {
    for (const { id, kind, type, hidden_edges: hidden = 0 } of answer.nodes) {
      const known = this.nodes.get(id);
      const fewest = known && id !== answer.id ? Math.min(known.hidden, hidden) : hidden;
      const name = type ?? known?.type;
      this.nodes.set(id, { id, kind, hidden: fewest, ...(name !== undefined && { type: name }) });
    }
    for (const edge of answer.edges) this.#add(edge);
  }

  /** @param {string} id */
  edgesAt(id) {
    return this.#near.get(id) ?? [];
  }

  /**
   * The edges of a shortest path from the start to a node.
   * @param {string} id
   * @returns {GraphEdge[]}
   */
  wayTo(id) {
    /** @type {Map<string, GraphEdge[]>} */
    const ways = new Map([[this.start, []]]);
    for (const [at, way] of ways) {
      if (at === id) return way;
      for (const edge of this.edgesAt(at)) {
        const next = otherEnd(edge, at);
        if (!ways.has(next)) ways.set(next, [...way, edge]);
      }
    }
    return [];
  }

  /** @param {Omit<GraphEdge, 'key'>} edge */
  #add(edge) {
    const key = [edge.statement, edge.from, edge.to, edge.role].join(' ');
    if (this.edges.has(key)) return;
    const kept = { ...edge, key };
    this.edges.set(key, kept);
    for (const end of new Set([edge.from, edge.to])) {
      const near = this.#near.get(end);
      if (near) near.push(kept);
      else this.#near.set(end, [kept]);
    }
  }
}

/**
 * @param {{ from: string, to: string }} edge
 * @param {string} id one of its ends
 */
export function otherEnd(edge, id) {
  return edge.from === id ? edge.to : edge.from;
}
