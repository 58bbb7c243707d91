import type { DatabaseSync } from 'node:sqlite';
import type { UnloggedRows } from '../../../domain/log/ports.ts';
import { noGraph, unloggedWrites } from './unlogged-writes.ts';

/** What fsck asks about rows that are in no log. */
export function embeddedUnloggedRows(writer: DatabaseSync): UnloggedRows {
  const graph = writer.prepare('SELECT id FROM graphs WHERE graph_id = ?');
  const isIn = writer.prepare(
    'SELECT 1 FROM unlogged WHERE graph = ? AND is_trusted = ? AND ? BETWEEN first AND last',
  );
  const writes = unloggedWrites(writer);
  const numberOf = (graphId: string | null) =>
    graphId === null ? noGraph : Number(graph.get(graphId)?.id ?? noGraph);
  return {
    async areWaiting(graphId, rows) {
      const number = numberOf(graphId);
      return rows.map(
        ({ position, isTrusted }) => isIn.get(number, Number(isTrusted), position) !== undefined,
      );
    },
    async note(graphId, rows) {
      writes.begin();
      for (const { position, isTrusted } of rows)
        writes.note(numberOf(graphId), isTrusted ? 'verified' : 'unverified', position);
      writes.flush();
    },
  };
}
