import type { Collection, Filter } from 'mongodb';
import type { Visibility } from '../../../domain/access/visibility.ts';
import { ServiceError } from '../../../domain/errors.ts';
import type { Graph, GraphPage, GraphStore, Page } from '../../../domain/integrity/ports.ts';
import { graphCounter, takeNumbers } from '../counters.ts';
import type { Database } from '../database.ts';
import { isDuplicate, translated } from '../errors.ts';
import { writeUnique } from '../unique-writes.ts';
import { type GraphDocument, graphCollection, graphOf, isRegistered } from './graph-documents.ts';

/** Counts that are asked for at once. */
const countsAtOnce = 8;

export class MongoGraphs implements GraphStore {
  readonly #database: Database;
  readonly #graphs: Collection<GraphDocument>;

  constructor(database: Database) {
    this.#database = database;
    this.#graphs = graphCollection(database);
  }

  async add({ graphId, name, parentId, projectId }: Graph): Promise<'added' | 'exists'> {
    return await translated(async () => {
      const _id = await takeNumbers(this.#database, graphCounter);
      try {
        const graph = { _id, graphId, name, parentId, projectId };
        await writeUnique(graphId, () => this.#graphs.insertOne(graph));
        return 'added';
      } catch (error) {
        if (!isDuplicate(error)) throw error;
      }
      // An insert whose answer was lost is repeated by the driver, and meets itself.
      return (await this.#graphs.findOne({ graphId }))?._id === _id ? 'added' : 'exists';
    });
  }

  async get(graphId: string): Promise<Graph | undefined> {
    const graph = await translated(() => this.#graphs.findOne({ graphId }));
    return graph ? graphOf(graph) : undefined;
  }

  async children(parentId: string | null, page: Page, { projects }: Visibility): Promise<GraphPage> {
    return await translated(async () => {
      const after = page.after === null ? 0 : await this.#readCursor(page.after, parentId);
      const query: Filter<GraphDocument> = {
        parentId,
        _id: { $gt: after },
        ...isRegistered,
        ...(projects !== 'all' && { projectId: { $in: [...projects] } }),
      };
      const found = await this.#graphs
        .find(query)
        .sort({ _id: 1 })
        .limit(page.limit + 1)
        .toArray();
      const shown = found.slice(0, page.limit);
      const last = shown.at(-1);
      return {
        graphs: await this.#counted(shown),
        ...(last && found.length > page.limit && { next: cursor(last) }),
      };
    });
  }

  /** Counted in the index when asked: a number that is kept could fall out of step with the statements. */
  async #counted(graphs: readonly GraphDocument[]): Promise<GraphPage['graphs']> {
    const statements = this.#database.db.collection('statements');
    const counted: GraphPage['graphs'][number][] = [];
    for (let at = 0; at < graphs.length; at += countsAtOnce) {
      const some = graphs.slice(at, at + countsAtOnce).map(async (graph) => ({
        ...graphOf(graph),
        statements: await statements.countDocuments({ graphs: graph._id }),
      }));
      counted.push(...(await Promise.all(some)));
    }
    return counted;
  }

  async #readCursor(text: string, parentId: string | null): Promise<number> {
    const _id = /^g[0-9a-z]{1,10}$/.test(text) ? Number.parseInt(text.slice(1), 36) : 0;
    if (cursor({ _id }) === text && (await this.#graphs.findOne({ _id, parentId, ...isRegistered })))
      return _id;
    throw new ServiceError('invalid_request', 'The cursor is none that this list has answered.');
  }
}

function cursor({ _id }: Pick<GraphDocument, '_id'>): string {
  return `g${_id.toString(36)}`;
}
