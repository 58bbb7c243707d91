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
  readonly #known = new LRUCache<string, Membership>({ max: graphsKept });

  constructor(database: Database) {
    this.#database = database;
    this.#graphs = graphCollection(database);
  }

  async find(graphId: string): Promise<GraphDocument | undefined> {
    return (await translated(() => this.#graphs.findOne({ graphId }))) ?? undefined;
  }

  /** The registered graphs with these keys, by the keys in hexadecimal. */
  async byKey(keys: Iterable<ObjectId>): Promise<ReadonlyMap<string, Membership>> {
    const found = new Map<string, Membership>();
    const unknown = new Map<string, ObjectId>();
    for (const key of keys) {
      const hex = key.toHexString();
      const graph = this.#known.get(hex);
      if (graph) found.set(hex, graph);
      else unknown.set(hex, key);
    }
    for (const _id of parts([...unknown.values()])) {
      const query = { _id: { $in: _id }, ...isRegistered };
      for (const { _id, graphId, projectId } of await translated(() => this.#graphs.find(query).toArray())) {
        this.#known.set(_id.toHexString(), { graphId, projectId });
        found.set(_id.toHexString(), { graphId, projectId });
      }
    }
    return found;
  }

  async visible(graphIds: readonly string[] | null, { projects }: Visibility): Promise<string[]> {
    const found: Pick<GraphDocument, '_id' | 'graphId'>[] = [];
    for (const names of graphIds === null ? [null] : parts([...new Set(graphIds)])) {
      const query: Filter<GraphDocument> = {
        ...isRegistered,
        ...(names && { graphId: { $in: names } }),
        ...(projects !== 'all' && { projectId: { $in: [...projects] } }),
      };
      const options = { projection: { graphId: 1 } };
      found.push(...(await translated(() => this.#graphs.find(query, options).toArray())));
    }
    return found.sort((one, other) => Buffer.compare(one._id.id, other._id.id)).map(({ graphId }) => graphId);
  }

  async sizes(): Promise<null> {
    return null;
  }

  async attachments(graphIds: readonly string[]): Promise<GraphAttachments> {
    return await translated(async () => {
      const keys = new Map<string, ObjectId>();
      for (const names of parts(graphIds)) {
        const found = await this.#graphs.find({ graphId: { $in: names } }).toArray();
        for (const { graphId, _id } of found) keys.set(String(graphId), _id);
      }
      return await readAttachments(
        this.#database,
        graphIds.flatMap((graphId) => keys.get(graphId) ?? []),
      );
    });
  }
}

function parts<Item>(items: readonly Item[]): Item[][] {
  return Array.from({ length: Math.ceil(items.length / idsAtOnce) }, (_, at) =>
    items.slice(at * idsAtOnce, (at + 1) * idsAtOnce),
  );
}
