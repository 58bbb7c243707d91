import { shortId } from '../words.ts';
import type { Graph, GraphEdge } from './graph.ts';
import { kindWords, shownKinds } from './kinds.ts';
import { askDocument, askMetadataOf } from './lineage-api.ts';

/** A JSON document that describes something. */
type Metadata = Readonly<Record<string, unknown>>;

/** Fields of a document that may contain a name, the best first. */
const nameFields = ['name', 'title', 'label', 'path', 'filename', 'step'];

const requestsAtOnce = 6;
const mostDocuments = 400;
const mostSearches = 120;

/** Names of nodes, from their registered metadata or their own content. */
export class Names {
  readonly #documents = new Map<string, Metadata>();
  /** The describing document, if no edge leads to it. */
  readonly #described = new Map<string, string>();
  readonly #asked = new Set<string>();
  #searches = 0;

  /**
   * Loads the names of a graph. A node whose document cannot be loaded has no name.
   * @param drawn ids of the nodes whose metadata is searched if the graph has none.
   * @param changed called when names arrive.
   */
  async learn(graph: Graph, drawn: readonly string[], changed: () => void): Promise<void> {
    const documents = [...graph.edges.values()].flatMap((edge) => documentOf(edge) ?? []);
    const nameless = drawn.filter((id) => isNameless(graph, id));
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

  /** The metadata of an identifier, if it is loaded. */
  metadataOf(graph: Graph, id: string): Metadata | undefined {
    return this.#documents.get(metadataEdge(graph, id)?.to ?? this.#described.get(id) ?? id);
  }

  /** @returns a title that is never empty. */
  titleOf(graph: Graph, id: string): string {
    const node = graph.nodes.get(id);
    if (!node) return shortId(id);
    const near = graph.edgesAt(id);
    if (node.kind === 'statement') {
      const program = near.find(({ role, to }) => role === 'computation' && to === id)?.from ?? '';
      return nameIn(this.#documents.get(program)) ?? kindWords(node);
    }
    const role = near.find((edge) => documentOf(edge) === id)?.role ?? '';
    const title = shownKinds.roles[role]?.document?.title;
    if (role === 'metadata') return title ?? '';
    return nameIn(this.metadataOf(graph, id)) ?? title ?? shortId(id);
  }

  async #read(id: string): Promise<void> {
    const document = await askDocument(id);
    if (document) this.#documents.set(id, document);
  }

  async #search(id: string): Promise<void> {
    this.#searches += 1;
    const document = this.#searches > mostSearches ? undefined : await askMetadataOf(id);
    if (document === undefined) return isJson(id) ? await this.#read(id) : undefined;
    this.#described.set(id, document);
    await this.#read(document);
  }
}

/** Whether it is the CID of a JSON document (RFC 8785), which may have a name itself. */
function isJson(id: string): boolean {
  return id.startsWith('urn:cid:baga6yaq6');
}

function isNameless(graph: Graph, id: string): boolean {
  const node = graph.nodes.get(id);
  if (!node || node.kind === 'statement' || metadataEdge(graph, id)) return false;
  return !graph.edgesAt(id).some((edge) => documentOf(edge) === id);
}

function nameIn(document: Metadata | undefined): string | undefined {
  const values = nameFields.map((field) => document?.[field]);
  const name = values.find((value) => typeof value === 'string' && value.trim() !== '');
  return name === undefined ? undefined : String(name).trim().slice(0, 200);
}

function documentOf(edge: GraphEdge): string | undefined {
  const document = Object.hasOwn(shownKinds.roles, edge.role) && shownKinds.roles[edge.role]?.document;
  return document ? edge[document.end] : undefined;
}

function metadataEdge(graph: Graph, id: string): GraphEdge | undefined {
  return graph.edgesAt(id).find(({ role, from }) => role === 'metadata' && from === id);
}
