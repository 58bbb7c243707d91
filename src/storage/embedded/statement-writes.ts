import type { DatabaseSync } from 'node:sqlite';
import { ServiceError } from '../../domain/errors.ts';
import type { PutOutcome } from '../../domain/integrity/ports.ts';
import { referenceWrites } from './reference-writes.ts';
import { type StatementSlice, type UnpackedRow, unpack } from './statement-slices.ts';
import { timeBlockWrites } from './time-blocks.ts';

type Said = Pick<UnpackedRow, 'kind' | 'references'>;

/** Bytes of an id's digest by which manifests are ordered: nobody finds two ids that share them. */
export const idStartBytes = 16;

/** Writes of statements, for the thread that writes. */
export function statementWrites(database: DatabaseSync) {
  const graphByName = database.prepare('SELECT id FROM graphs WHERE graph_id = ?');
  const count = database.prepare('UPDATE graphs SET statements = statements + ? WHERE id = ?');
  const references = referenceWrites(database);
  const timeBlocks = timeBlockWrites(database);
  const insert = database.prepare(
    `INSERT INTO statements (jcs_digest, rdfc_digest, trusted, kind, time, context_set, refs, jcs)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (jcs_digest) DO NOTHING`,
  );
  const known = database.prepare('SELECT seq, trusted FROM statements WHERE jcs_digest = ?');
  const said = database.prepare('SELECT kind, refs AS "references" FROM statements WHERE seq = ?');
  const replace = database.prepare(
    'UPDATE statements SET rdfc_digest = ?, trusted = 1, kind = ?, context_set = ?, refs = ? WHERE seq = ?',
  );
  const reorder = database.prepare('UPDATE statement_graphs SET id_start = ? WHERE seq = ?');
  const joinFirst = database.prepare(
    'INSERT INTO statement_graphs (seq, position, graph, id_start) VALUES (?, 0, ?, ?)',
  );
  const join = database.prepare(
    `INSERT OR IGNORE INTO statement_graphs (seq, position, graph, id_start)
     SELECT ?1, coalesce(max(position) + 1, 0), ?2, substr(rdfc_digest, 1, ${idStartBytes})
     FROM statements LEFT JOIN statement_graphs USING (seq) WHERE seq = ?1`,
  );
  const isImport = database.prepare('SELECT 1 FROM graph_imports WHERE id = ?');
  const countImported = database.prepare('UPDATE graph_imports SET statements = statements + ? WHERE id = ?');

  function put(row: UnpackedRow, graph: number | null): PutOutcome {
    const { jcsDigest, rdfcDigest, isTrusted, kind, time, contextSet, jcs } = row;
    const trusted = isTrusted ? 1 : 0;
    const rest = [kind, time, contextSet, row.references, jcs];
    const inserted = insert.run(jcsDigest, rdfcDigest, trusted, ...rest);
    if (inserted.changes === 0) return putKnown(row, graph);
    const seq = Number(inserted.lastInsertRowid);
    references.add(row, trusted, seq);
    if (time !== null) timeBlocks.add(seq, time);
    if (graph !== null) joinFirst.run(seq, graph, rdfcDigest.subarray(0, idStartBytes));
    return 'stored';
  }

  function putKnown(row: UnpackedRow, graph: number | null): PutOutcome {
    const found = known.get(row.jcsDigest);
    const seq = Number(found?.seq);
    if (row.isTrusted && found?.trusted === 0) {
      references.remove(said.get(seq) as unknown as Said, 0, seq);
      replace.run(row.rdfcDigest, row.kind, row.contextSet, row.references, seq);
      reorder.run(row.rdfcDigest.subarray(0, idStartBytes), seq);
      references.add(row, 1, seq);
    }
    return graph !== null && join.run(seq, graph).changes === 1 ? 'joined' : 'known';
  }

  function putAll(slices: readonly StatementSlice[], graph: number | null): PutOutcome[] {
    references.begin();
    const outcomes = slices.flatMap((slice) =>
      unpack(slice)
        .map((row) => put(row, graph))
        .toArray(),
    );
    references.flush();
    timeBlocks.flush();
    return outcomes;
  }

  function findGraph(graphId: string): number {
    const graph = graphByName.get(graphId);
    if (!graph) throw new ServiceError('unknown_graph', `The graph ${graphId} is not registered.`);
    return Number(graph.id);
  }

  return {
    putStatements({ graphId }: { graphId: string | null }, slices: readonly StatementSlice[]): PutOutcome[] {
      const graph = graphId === null ? null : findGraph(graphId);
      const outcomes = putAll(slices, graph);
      if (graph !== null) count.run(joinedCount(outcomes), graph);
      return outcomes;
    },

    /** Under a graph that is not there yet. */
    putImported({ graph }: { graph: number }, slices: readonly StatementSlice[]): PutOutcome[] {
      if (!isImport.get(graph)) throw new ServiceError('conflict', 'The import was given up.');
      const outcomes = putAll(slices, graph);
      countImported.run(joinedCount(outcomes), graph);
      return outcomes;
    },
  };
}

function joinedCount(outcomes: readonly PutOutcome[]): number {
  return outcomes.filter((outcome) => outcome !== 'known').length;
}
