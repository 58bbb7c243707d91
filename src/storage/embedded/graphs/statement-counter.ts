import type { DatabaseSync } from 'node:sqlite';
import { yieldToEventLoop } from '../../../domain/yield-to-event-loop.ts';

const rowsAtOnce = 4_096;

/** Counts the statements of a graph, or the verified ones in no graph, as `GraphStore.statementCounts` does. */
export function statementCounter(reader: DatabaseSync) {
  const ofGraph = reader.prepare('SELECT statements FROM graphs WHERE graph_id = ?');
  // The index by kind is small. The rows themselves hold the statements.
  const rows = reader.prepare(
    `SELECT kind, seq, NOT EXISTS (SELECT 1 FROM verified_graphs AS its WHERE its.seq = row.seq) AS is_alone
     FROM verified_rows AS row WHERE (kind, seq) > (?, ?) ORDER BY kind, seq LIMIT ${rowsAtOnce}`,
  );

  async function inNoGraph(most: number): Promise<number> {
    let count = 0;
    let [kind, seq] = [0, 0];
    for (let isFull = true; isFull && count <= most; ) {
      const found = rows.all(kind, seq);
      count += found.filter(({ is_alone }) => is_alone === 1).length;
      isFull = found.length === rowsAtOnce;
      [kind, seq] = [Number(found.at(-1)?.kind), Number(found.at(-1)?.seq)];
      await yieldToEventLoop();
    }
    return count;
  }

  return async (graphId: string | null, most: number): Promise<number> => {
    const count = graphId === null ? await inNoGraph(most) : Number(ofGraph.get(graphId)?.statements ?? 0);
    return Math.min(count, most + 1);
  };
}
