import type { DatabaseSync } from 'node:sqlite';
import type { StoreProblem } from '../../../domain/maintenance/fsck/ports.ts';
import { lost } from '../../../domain/maintenance/fsck/problems.ts';

/** Documents that came with graphs. */
export function* fsckAttachments(reader: DatabaseSync): Generator<StoreProblem> {
  const orphans = reader.prepare(
    `SELECT graph, cid FROM (SELECT graph, cid FROM graph_contexts UNION ALL SELECT graph, cid FROM graph_anchors)
     WHERE NOT EXISTS (SELECT 1 FROM graphs WHERE id = graph)`,
  );
  for (const { graph, cid } of orphans.iterate()) {
    const problem = `It belongs to a graph with the number ${graph}, which does not exist`;
    yield lost('attachment', String(cid), problem, 'Restore the data folder from a backup.');
  }
}
