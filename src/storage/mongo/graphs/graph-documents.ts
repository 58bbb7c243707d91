import type { Collection, ObjectId } from 'mongodb';
import type { Graph } from '../../../domain/integrity/ports.ts';
import type { Database } from '../database.ts';
import type { CollectionIndexes } from '../indexes.ts';

/** A graph. Once registered it never changes. */
export interface GraphDocument extends Graph {
  /** A position, in the order of registration. Statements name the graph by it. */
  readonly _id: ObjectId;
}

/** A graph that is being imported. One update registers it and gives it everything else. */
export interface ImportDocument {
  readonly _id: ObjectId;
  /** When it was last added to. */
  readonly importing: Date;
  /** Nothing can be added any more, because its content is being removed. */
  readonly isAbandoned?: true;
}

/** An import that can still be added to and registered. */
export const isComing = { importing: { $exists: true }, isAbandoned: { $exists: false } } as const;

/** Graphs that are being imported have no `graphId`. */
export const graphIndexes: CollectionIndexes = {
  collection: 'graphs',
  indexes: [
    { name: 'graph_id', key: { graphId: 1 }, unique: true, sparse: true },
    { name: 'parent', key: { parentId: 1, _id: 1 } },
    { name: 'project', key: { projectId: 1, parentId: 1, _id: 1 } },
    { name: 'importing', key: { importing: 1 }, sparse: true },
  ],
};

/** Leaves out graphs that are being imported. They lack every field of a graph, so they look like roots. */
export const isRegistered = { importing: { $exists: false } };

export function graphCollection(database: Database): Collection<GraphDocument> {
  return database.collection<GraphDocument>('graphs');
}

export function importCollection(database: Database): Collection<ImportDocument> {
  return database.collection<ImportDocument>('graphs');
}

export function graphOf({ graphId, name, parentId, projectId }: GraphDocument): Graph {
  return { graphId, name, parentId, projectId };
}
