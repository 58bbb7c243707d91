/** @import { Graph, GraphEdge, GraphNode } from './graph.js' */

import { shortId } from '../words.js';
import { kindWords, shownKinds } from './kinds.js';
import { askDocument, askMetadataOf } from './lineage-api.js';

/** @typedef {Record<string, unknown>} Metadata a JSON document that describes something */

/** Fields of a document that say what something is called, the best first. */
const nameFields = ['name', 'title', 'label', 'path', 'filename', 'step'];

const requestsAtOnce = 6;
const mostDocuments = 400;
const mostSearches = 120;

/** What things are called: by the metadata that is registered of them, or by what they say themselves. */
export class Names {
  /** @type {Map<string, Metadata>} */
  #documents = new Map();
  /** @type {Map<string, string>} the document that describes something, where no edge tells it */
  #described = new Map();
  /** @type {Set<string>} */
  #asked = new Set();
  #searches = 0;

  /**
   * Reads what a graph refers to. What cannot be had leaves things without a name, no more.
   * @param {Graph} graph
   * @param {readonly string[]} drawn ids of the nodes for which metadata is searched where the graph has none
   * @param {() => void} changed called as names come in
   */
  async learn(graph, drawn, changed) {
    const documents = [...graph.edges.values()].flatMap((edge) => documentOf(edge) ?? []);
    const nameless = drawn.filter((id) => this.#isNameless(graph, id));
    const tasks = [
      ...documents.slice(0, mostDocuments).map((id) => ({ id, run: () => this.#read(id) })),
      ...nameless.map((id) => ({ id, run: () => this.#search(id) })),
    ].filter(({ id }) => !this.#asked.has(id) && this.#asked.add(id));
    const run = async () => {
      for (let task = tasks.shift(); task; task = tasks.shift()) {
        await task.run().then(changed, () => undefined);
      }
    };
    await Promise.all(Array.from({ length: requestsAtOnce }, run));
  }

  /**
   * What is said of something.
   * @param {Graph} graph
   * @param {string} id
   * @returns {{ document: string, metadata: Metadata } | undefined}
   */
  metadataOf(graph, id) {
    const document = metadataEdge(graph, id)?.to ?? this.#described.get(id) ?? id;
    const metadata = this.#documents.get(document);
    return metadata && { document, metadata };
  }

  /**
   * @param {Graph} graph
   * @param {GraphNode} node
   * @returns {string} never empty
   */
  titleOf(graph, node) {
    const { id } = node;
    const near = graph.edgesAt(id);
    if (node.kind === 'statement') {
      const program = near.find(({ role, to }) => role === 'computation' && to === id)?.from ?? '';
      return nameIn(this.#documents.get(program)) ?? kindWords(node);
    }
    const role = near.find((edge) => documentOf(edge) === id)?.role ?? '';
    if (role === 'metadata') return shownKinds.roles[role]?.document?.title ?? '';
    return (
      nameIn(this.metadataOf(graph, id)?.metadata) ?? shownKinds.roles[role]?.document?.title ?? shortId(id)
    );
  }

  /**
   * @param {Graph} graph
   * @param {string} id
   */
  #isNameless(graph, id) {
    const node = graph.nodes.get(id);
    if (!node || node.kind === 'statement' || metadataEdge(graph, id)) return false;
    return !graph.edgesAt(id).some((edge) => documentOf(edge) === id);
  }

  /** @param {string} id */
  async #read(id) {
    const document = await askDocument(id);
    if (document) this.#documents.set(id, document);
  }

  /** @param {string} id */
  async #search(id) {
    this.#searches += 1;
    const document = this.#searches > mostSearches ? undefined : await askMetadataOf(id);
    if (document === undefined) return;
    this.#described.set(id, document);
    await this.#read(document);
  }
}

/** @param {Metadata | undefined} document */
function nameIn(document) {
  const values = nameFields.map((field) => document?.[field]);
  const name = values.find((value) => typeof value === 'string' && value.trim() !== '');
  return name === undefined ? undefined : String(name).trim().slice(0, 200);
}

/** @param {GraphEdge} edge */
function documentOf(edge) {
  const document = Object.hasOwn(shownKinds.roles, edge.role) && shownKinds.roles[edge.role]?.document;
  return document ? edge[document.end] : undefined;
}

/**
 * @param {Graph} graph
 * @param {string} id
 */
function metadataEdge(graph, id) {
  return graph.edgesAt(id).find(({ role, from }) => role === 'metadata' && from === id);
}
