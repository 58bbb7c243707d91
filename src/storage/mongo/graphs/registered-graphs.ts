import { LRUCache } from 'lru-cache';
import type { Collection, Filter, ObjectId } from 'mongodb';
import type { Visibility } from '../../../domain/access/visibility.ts';
import type { GraphAttachments } from '../../../domain/integrity/manifest/ports.ts';
import type { GraphReads, Membership } from '../../../domain/integrity/statements/rows.ts';
import type { Database } from '../database.ts';
import { translated } from '../errors.ts';
import { readAttachments } from './graph-attachments.ts';
import { type GraphDocument, graphCollection, isRegistered } from './graph-documents.ts';

const graphsKept = 50_000;
const idsAtOnce = 1_000;

/** Finds registered graphs. They never change, so they are cached. */
export class RegisteredGraphs implements GraphReads {
  readonly #database: Database;
  readonly #graphs: Collection<GraphDocument>;
  /** By `graphId`, and by key in hexadecimal. */
  readonly #known = new LRUCache<string, GraphDocument>({ max: 2 * graphsKept });
  /** Graphs without attachments, by id. They get none, because attachments are stored before the graph is registered. */
  readonly #bare = new LRUCache<string, true>({ max: graphsKept });

  constructor(database: Database) {
    this.#database = database;
    this.#graphs = graphCollection(database);
  }

  async find(graphId: string): Promise<GraphDocument | undefined> {
    return (await this.#withIds([graphId]))[0];
  }

  /** The registered graphs with these keys, by the keys in hexadecimal. */
  async byKey(keys: Iterable<ObjectId>): Promise<ReadonlyMap<string, Membership>> {
    const wanted = new Map(Array.from(keys, (key) => [key.toHexString(), key]));
    const found = await this.#read(wanted, (_id) => ({ _id: { $in: _id }, ...isRegistered }));
    return new Map(
      found.map(({ _id, graphId, projectId }) => [_id.toHexString(), { graphId, projectId }] as const),
    );
  }

  async visible(graphIds: readonly string[] | null, { projects }: Visibility): Promise<string[]> {
    const found = graphIds === null ? await this.#ofProjects(projects) : await this.#withIds(graphIds);
    return found
      .filter(({ projectId }) => projects === 'all' || projects.has(projectId))
      .sort((one, other) => Buffer.compare(one._id.id, other._id.id))
      .map(({ graphId }) => graphId);
  }

  async #ofProjects(projects: Visibility['projects']): Promise<GraphDocument[]> {
    const query = { ...isRegistered, ...(projects !== 'all' && { projectId: { $in: [...projects] } }) };
    const projection = { graphId: 1, projectId: 1 };
    return await translated(() => this.#graphs.find(query, { projection }).toArray());
  }

  async #withIds(graphIds: readonly string[]): Promise<GraphDocument[]> {
    const wanted = new Map(graphIds.map((graphId) => [graphId, graphId]));
    return await this.#read(wanted, (names) => ({ graphId: { $in: names } }));
  }

  /** @param wanted the values for `query`, by how the cache names them. */
  async #read<Value>(
    wanted: ReadonlyMap<string, Value>,
    query: (values: Value[]) => Filter<GraphDocument>,
  ): Promise<GraphDocument[]> {
    const found: GraphDocument[] = [];
    const unknown: Value[] = [];
    for (const [name, value] of wanted) {
      const graph = this.#known.get(name);
      if (graph) found.push(graph);
      else unknown.push(value);
    }
    for (const values of parts(unknown))
      for (const graph of await translated(() => this.#graphs.find(query(values)).toArray())) {
        this.#known.set(graph.graphId, graph);
        this.#known.set(graph._id.toHexString(), graph);
        found.push(graph);
      }
    return found;
  }

  async sizes(): Promise<null> {
    return null;
  }

  async attachments(graphIds: readonly string[]): Promise<GraphAttachments> {
    const asked = graphIds.filter((graphId) => !this.#bare.has(graphId));
    if (asked.length === 0) return { contexts: [], anchors: [] };
    const found = await this.#withIds(asked);
    const keys = new Map(found.map(({ graphId, _id }) => [graphId, _id]));
    const ordered = asked.flatMap((graphId) => keys.get(graphId) ?? []);
    const attachments = await translated(() => readAttachments(this.#database, ordered));
    if (attachments.contexts.length === 0 && attachments.anchors.length === 0)
      for (const { graphId } of found) this.#bare.set(graphId, true);
    return attachments;
  }
}

function parts<Item>(items: readonly Item[]): Item[][] {
  return Array.from({ length: Math.ceil(items.length / idsAtOnce) }, (_, at) =>
    items.slice(at * idsAtOnce, (at + 1) * idsAtOnce),
  );
}
