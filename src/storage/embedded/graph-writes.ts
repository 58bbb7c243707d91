import type { DatabaseSync } from 'node:sqlite';
import type { Graph } from '../../domain/integrity/graphs.ts';

/** Writes of graphs, for the thread that writes. */
export function graphWrites(database: DatabaseSync) {
  const insert = database.prepare(
    `INSERT INTO graphs (graph_id, name, parent_id, project_id) VALUES (?, ?, ?, ?)
     ON CONFLICT (graph_id) DO NOTHING`,
  );
  return {
    addGraph({ graphId, name, parentId, projectId }: Graph): 'added' | 'exists' {
      return insert.run(graphId, name, parentId, projectId).changes === 1 ? 'added' : 'exists';
    },
  };
}
