import type { Collection, Filter, ObjectId } from 'mongodb';
import type { Visibility } from '../../../domain/access/visibility.ts';
import { ServiceError } from '../../../domain/errors.ts';
import type { Graph, GraphPage, GraphStore, Page } from '../../../domain/integrity/ports.ts';
import type { Database } from '../database.ts';
import { isDuplicate, translated } from '../errors.ts';
import { nextPosition, positionIn } from '../positions.ts';
import { countBoth } from '../statements/statement-documents.ts';
import { writeUnique } from '../unique-writes.ts';
import { type GraphDocument, graphCollection, graphOf, isRegistered } from './graph-documents.ts';

/** Graphs whose statements are counted at once. */
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
      const _id = nextPosition(this.#database.now());
      try {
        const graph = { _id, graphId, name, parentId, projectId };
        await writeUnique(graphId, () => this.#graphs.insertOne(graph));
        return 'added';
      } catch (error) {
        if (!isDuplicate(error)) throw error;
      }
      // The driver repeats an insert whose answer was lost, and then the graph meets itself.
      return (await this.#graphs.findOne({ graphId }))?._id.equals(_id) ? 'added' : 'exists';
    });
  }

  async get(graphId: string): Promise<Graph | undefined> {
    const graph = await translated(() => this.#graphs.findOne({ graphId }));
    return graph ? graphOf(graph) : undefined;
  }

  async children(parentId: string | null, page: Page, { projects }: Visibility): Promise<GraphPage> {
    return await translated(async () => {
      const after = page.after === null ? null : await this.#readCursor(page.after, parentId);
      const query: Filter<GraphDocument> = {
        parentId,
        ...(after && { _id: { $gt: after } }),
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
        ...(last && found.length > page.limit && { next: last._id.toHexString() }),
      };
    });
  }

  /** Counts in the index on each call, because a kept number could differ from the statements. */
  async #counted(graphs: readonly GraphDocument[]): Promise<GraphPage['graphs']> {
    const counted: GraphPage['graphs'][number][] = [];
    for (let at = 0; at < graphs.length; at += countsAtOnce) {
      const some = graphs.slice(at, at + countsAtOnce).map(async (graph) => ({
        ...graphOf(graph),
        statements: await countBoth(this.#database, (statements) =>
          statements.countDocuments({ graphs: graph._id }, { hint: 'graph' }),
        ),
      }));
      counted.push(...(await Promise.all(some)));
    }
    return counted;
  }

  async #readCursor(text: string, parentId: string | null): Promise<ObjectId> {
    const _id = positionIn(text);
    if (_id && (await this.#graphs.findOne({ _id, parentId, ...isRegistered }))) return _id;
    throw new ServiceError('invalid_request', 'This cursor does not belong to this list.');
  }
}
