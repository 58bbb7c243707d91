import type { Collection, ObjectId } from 'mongodb';
import type { Graph } from '../../../domain/integrity/ports.ts';
import type { Database } from '../database.ts';
import type { CollectionIndexes } from '../indexes.ts';

/** A graph. Once registered it never changes. */
export interface GraphDocument extends Graph {
  /** A position in the order of registration, by which statements refer to the graph. */
  readonly _id: ObjectId;
}

/** A graph that is being imported. One update registers it and adds the other fields. */
export interface ImportDocument {
  readonly _id: ObjectId;
  readonly importing: Date;
  /** Its content is being removed, so nothing can be added. */
  readonly isAbandoned?: true;
}

/** Matches imports that are still open. */
export const isComing = { importing: { $exists: true }, isAbandoned: { $exists: false } } as const;

/** Graphs that are being imported have no `graphId`. */
export const graphIndexes: CollectionIndexes = {
  collection: 'graphs',
  indexes: [
    { name: 'graph_id', key: { graphId: 1 }, unique: true, sparse: true },
    { name: 'parent', key: { parentId: 1, _id: 1 } },
    { name: 'name', key: { name: 1, _id: 1 } },
    { name: 'project', key: { projectId: 1, parentId: 1, _id: 1 } },
    { name: 'importing', key: { importing: 1 }, sparse: true },
  ],
};

/** Leaves out imports, which look like root graphs because they lack all fields. */
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
