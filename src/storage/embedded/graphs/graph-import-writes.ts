import type { DatabaseSync } from 'node:sqlite';
import { ServiceError } from '../../../domain/errors.ts';
import type { GraphAttachments } from '../../../domain/integrity/manifest/ports.ts';
import type { Graph } from '../../../domain/integrity/ports.ts';
import { noGraph, type UnloggedWrites } from '../log/unlogged-writes.ts';
import type { SortWrites } from '../statements/row-writes.ts';

const forgottenAtOnce = 1_000;

export function graphImportWrites(database: DatabaseSync, sorts: SortWrites, unlogged: UnloggedWrites) {
  const begin = database.prepare(`INSERT INTO graph_imports (id) VALUES (${nextGraph})`);
  const publish = database.prepare(
    `INSERT INTO graphs (id, graph_id, name, parent_id, project_id, statements)
     SELECT id, ?2, ?3, ?4, ?5, statements FROM graph_imports WHERE id = ?1`,
  );
  const project = database.prepare(addProject);
  const isTaken = database.prepare('SELECT 1 FROM graphs WHERE graph_id = ?');
  const end = database.prepare('DELETE FROM graph_imports WHERE id = ?');
  const attachContext = database.prepare('INSERT INTO graph_contexts (graph, url, cid) VALUES (?, ?, ?)');
  const attachAnchor = database.prepare('INSERT INTO graph_anchors (graph, position, cid) VALUES (?, ?, ?)');
  const isImport = database.prepare('SELECT 1 FROM graph_imports WHERE id = ?');

  return {
    beginImport: (): number => Number(begin.run().lastInsertRowid),

    publishImport({ id, graph, attachments }: { id: number; graph: Graph; attachments: GraphAttachments }) {
      const { graphId, name, parentId, projectId } = graph;
      if (isTaken.get(graphId)) return 'exists';
      if (publish.run(id, graphId, name, parentId, projectId).changes === 0)
        throw new ServiceError('conflict', 'The import is over.');
      project.run(projectId);
      for (const { url, cid } of attachments.contexts) attachContext.run(id, url, cid);
      for (const [position, cid] of attachments.anchors.entries()) attachAnchor.run(id, position, cid);
      sorts.verified.publish(id);
      sorts.unverified.publish(id);
      unlogged.noteGraph(id);
      end.run(id);
      return 'added';
    },

    /** Removes some rows of an import. @returns true when nothing is left. */
    forgetImport({ id }: { id: number }): boolean {
      if (!isImport.get(id)) return true;
      const verified = sorts.verified.members(id, forgottenAtOnce);
      unlogged.begin();
      for (const seq of verified) {
        sorts.verified.leave(seq, id);
        if (sorts.verified.graphsOf(seq).length === 0) unlogged.note(noGraph, 'verified', seq);
      }
      unlogged.flush();
      const unverified = sorts.unverified.members(id, forgottenAtOnce);
      for (const seq of unverified) {
        sorts.unverified.leave(seq, id);
        // Nobody can see an unverified row outside of graphs.
        if (sorts.unverified.graphsOf(seq).length === 0) sorts.unverified.remove(seq);
      }
      if (verified.length + unverified.length > 0) return false;
      end.run(id);
      return true;
    },
  };
}

/** The id of the next graph. Imports have ids from the same sequence. */
const nextGraph =
  'max(coalesce((SELECT max(id) FROM graphs), 0), coalesce((SELECT max(id) FROM graph_imports), 0)) + 1';

/** Numbers a project when its first graph is registered. */
const addProject = 'INSERT OR IGNORE INTO projects (project_id) VALUES (?)';

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
