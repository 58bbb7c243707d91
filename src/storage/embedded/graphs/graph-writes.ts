import type { DatabaseSync } from 'node:sqlite';
import type { Graph } from '../../../domain/integrity/ports.ts';

/** The id of the next graph. Imports have ids from the same sequence. */
export const nextGraph =
  'max(coalesce((SELECT max(id) FROM graphs), 0), coalesce((SELECT max(id) FROM graph_imports), 0)) + 1';

/** Numbers a project when its first graph is registered. */
export const addProject = 'INSERT OR IGNORE INTO projects (project_id) VALUES (?)';

export function graphWrites(database: DatabaseSync) {
  const insert = database.prepare(
    `INSERT INTO graphs (id, graph_id, name, parent_id, project_id)
     SELECT ${nextGraph}, ?, ?, ?, ? WHERE true ON CONFLICT (graph_id) DO NOTHING`,
  );
  const project = database.prepare(addProject);
  return {
    addGraph({ graphId, name, parentId, projectId }: Graph): 'added' | 'exists' {
      if (insert.run(graphId, name, parentId, projectId).changes === 0) return 'exists';
      project.run(projectId);
      return 'added';
    },
  };
}
