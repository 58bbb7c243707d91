import type { Collection } from 'mongodb';
import type { Graph } from '../../../domain/integrity/ports.ts';
import type { Database } from '../database.ts';
import type { CollectionIndexes } from '../indexes.ts';

/** A graph. Once registered it never changes. */
export interface GraphDocument extends Graph {
  /** Its number, in the order of registration: statements refer to it by this one. */
  readonly _id: number;
}

/** A graph on its way in: nobody finds it before one update gives it everything else. */
export interface ImportDocument {
  readonly _id: number;
  /** When it was last added to. */
  readonly importing: Date;
  /** Nothing is added any more: what there is of it is being taken away. */
  readonly isAbandoned?: true;
}

/** An import that can be added to, and become a graph. */
export const isComing = { importing: { $exists: true }, isAbandoned: { $exists: false } } as const;

/** The importing ones have no `graphId`. */
export const graphIndexes: CollectionIndexes = {
  collection: 'graphs',
  indexes: [
    { name: 'graph_id', key: { graphId: 1 }, unique: true, sparse: true },
    { name: 'parent', key: { parentId: 1, _id: 1 } },
    { name: 'project', key: { projectId: 1, parentId: 1, _id: 1 } },
    { name: 'importing', key: { importing: 1 }, sparse: true },
  ],
};

/** Leaves the importing ones out, which lack every field of a graph and so look like roots. */
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
