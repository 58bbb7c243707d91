import type { Filter } from 'mongodb';
import { readCursor, throwBadCursor, writeCursor } from '../../../domain/cursors.ts';
import type { GraphStore } from '../../../domain/integrity/ports.ts';
import { mapConcurrent } from '../../../domain/map-concurrent.ts';
import type { Database } from '../database.ts';
import { isDuplicate, translated } from '../errors.ts';
import { nextPosition, positionIn } from '../positions.ts';
import { countBoth, statementCollections } from '../statements/statement-documents.ts';
import { writeUnique } from '../unique-writes.ts';
import { type GraphDocument, graphCollection, graphOf, isRegistered } from './graph-documents.ts';
import type { RegisteredGraphs } from './registered-graphs.ts';

const countsAtOnce = 8;

export function mongoGraphs(database: Database, registered: RegisteredGraphs): GraphStore {
  const graphs = graphCollection(database);

  /** Counts in the index each time, because a stored number could differ from the statements. */
  const countOf = async (graphId: string | null, most: number): Promise<number> => {
    const options = { hint: 'graph', limit: most + 1 };
    if (graphId === null)
      return await statementCollections(database).verified.countDocuments({ graphs: [] }, options);
    const graph = await registered.find(graphId);
    if (!graph) return 0;
    const count = await countBoth(database, (each) => each.countDocuments({ graphs: graph._id }, options));
    return Math.min(count, most + 1);
  };

  return {
    add: ({ graphId, name, parentId, projectId }) =>
      translated(async () => {
        const _id = nextPosition(database.now());
        try {
          const graph = { _id, graphId, name, parentId, projectId };
          await writeUnique(graphId, () => graphs.insertOne(graph));
          return 'added';
        } catch (error) {
          if (!isDuplicate(error)) throw error;
        }
        // The driver repeats an insert whose answer was lost, so the duplicate may be this graph.
        return (await graphs.findOne({ graphId }))?._id.equals(_id) ? 'added' : 'exists';
      }),

    async get(graphId) {
      const graph = await registered.find(graphId);
      return graph ? graphOf(graph) : undefined;
    },

    async children(parentId, { after, limit }, { projects }) {
      const question = ['children', parentId];
      const last =
        after === null ? null : (positionIn(String(readCursor(after, question))) ?? throwBadCursor());
      const query: Filter<GraphDocument> = {
        parentId,
        ...(last && { _id: { $gt: last } }),
        ...isRegistered,
        ...(projects !== 'all' && { projectId: { $in: [...projects] } }),
      };
      return await translated(async () => {
        const found = await graphs
          .find(query)
          .sort({ _id: 1 })
          .limit(limit + 1)
          .toArray();
        const shown = found.slice(0, limit);
        const next = found.length > limit ? shown.at(-1)?._id : undefined;
        return {
          graphs: shown.map(graphOf),
          ...(next && { next: writeCursor(next.toHexString(), question) }),
        };
      });
    },

    async named(name, limit, { projects }) {
      const query: Filter<GraphDocument> = {
        name,
        ...isRegistered,
        ...(projects !== 'all' && { projectId: { $in: [...projects] } }),
      };
      const found = await translated(() => graphs.find(query).sort({ _id: 1 }).limit(limit).toArray());
      return found.map(graphOf);
    },

    statementCounts: (graphIds, most) =>
      translated(() =>
        Array.fromAsync(mapConcurrent(graphIds, countsAtOnce, (graphId) => countOf(graphId, most))),
      ),
  };
}
