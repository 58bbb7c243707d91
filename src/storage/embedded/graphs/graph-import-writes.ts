import type { DatabaseSync, SQLOutputValue } from 'node:sqlite';
import { ServiceError } from '../../../domain/errors.ts';
import type { GraphAttachments } from '../../../domain/integrity/manifest/ports.ts';
import type { Graph } from '../../../domain/integrity/ports.ts';
import { entryWrites } from '../index/entry-writes.ts';
import type { LevelSizes } from '../index/levels.ts';
import { graphOrderWrites } from './graph-order.ts';
import { nextGraph } from './graph-writes.ts';

/** Rows forgotten in one transaction. */
const forgottenAtOnce = 1_000;

/** Writes of graphs that come in whole, for the thread that writes. */
export function graphImportWrites(database: DatabaseSync, levelSizes: LevelSizes) {
  const entries = entryWrites(database, levelSizes);
  const order = graphOrderWrites(database, levelSizes);
  const begin = database.prepare(`INSERT INTO graph_imports (id) VALUES (${nextGraph})`);
  const publish = database.prepare(
    `INSERT INTO graphs (id, graph_id, name, parent_id, project_id, statements)
     SELECT id, ?2, ?3, ?4, ?5, statements FROM graph_imports WHERE id = ?1
     ON CONFLICT (graph_id) DO NOTHING`,
  );
  const isTaken = database.prepare('SELECT 1 FROM graphs WHERE graph_id = ?');
  const end = database.prepare('DELETE FROM graph_imports WHERE id = ?');
  const attachContext = database.prepare('INSERT INTO graph_contexts (graph, url, cid) VALUES (?, ?, ?)');
  const attachAnchor = database.prepare('INSERT INTO graph_anchors (graph, position, cid) VALUES (?, ?, ?)');
  const isImport = database.prepare('SELECT 1 FROM graph_imports WHERE id = ?');
  const members = database.prepare(
    `SELECT seq, position, jcs_digest, rdfc_digest, kind, refs FROM statement_graphs JOIN statements USING (seq)
     WHERE graph = ? LIMIT ${forgottenAtOnce}`,
  );
  const leave = database.prepare('DELETE FROM statement_graphs WHERE seq = ? AND position = ?');
  const dropHidden = database.prepare(
    `DELETE FROM statements WHERE seq = ?1 AND trusted = 0
     AND NOT EXISTS (SELECT 1 FROM statement_graphs WHERE seq = ?1)`,
  );

  /** A statement that nothing shows any more leaves no trace. */
  function forget(graph: number, member: Record<string, SQLOutputValue>): void {
    const [seq, rdfcDigest] = [Number(member.seq), member.rdfc_digest as Uint8Array];
    leave.run(seq, member.position as number);
    order.remove(graph, rdfcDigest, seq);
    if (dropHidden.run(seq).changes === 0) return;
    entries.removeJcs(member.jcs_digest as Uint8Array, seq);
    entries.remove({ rdfcDigest, kind: String(member.kind), references: String(member.refs) }, 0, seq);
  }

  return {
    beginImport(): number {
      return Number(begin.run().lastInsertRowid);
    },

    publishImport({ id, graph, attachments }: PublishedImport): 'added' | 'exists' {
      const { graphId, name, parentId, projectId } = graph;
      if (isTaken.get(graphId)) return 'exists';
      if (publish.run(id, graphId, name, parentId, projectId).changes === 0)
        throw new ServiceError('conflict', 'The import was given up.');
      for (const { url, cid } of attachments.contexts) attachContext.run(id, url, cid);
      for (const [position, cid] of attachments.anchors.entries()) attachAnchor.run(id, position, cid);
      end.run(id);
      return 'added';
    },

    /** A part of what an import has brought; true when that was all of it. */
    forgetImport({ id }: { id: number }): boolean {
      if (!isImport.get(id)) return true;
      const some = members.all(id);
      entries.begin();
      for (const member of some) forget(id, member);
      if (some.length > 0) return false;
      end.run(id);
      return true;
    },
  };
}

interface PublishedImport {
  readonly id: number;
  readonly graph: Graph;
  readonly attachments: GraphAttachments;
}
