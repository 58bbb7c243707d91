import type { DatabaseSync } from 'node:sqlite';
import { ServiceError } from '../../domain/errors.ts';
import type { PutOutcome } from '../../domain/integrity/ports.ts';
import { referenceTarget } from './reference-target.ts';
import { type StatementSlice, type UnpackedRow, unpack } from './statement-slices.ts';

/** Writes of statements, for the thread that writes. */
export function statementWrites(database: DatabaseSync) {
  const graphByName = database.prepare('SELECT id FROM graphs WHERE graph_id = ?');
  const count = database.prepare('UPDATE graphs SET statements = statements + ? WHERE id = ?');
  const insert = database.prepare(
    `INSERT INTO statements (jcs_digest, rdfc_digest, trusted, kind, context_set, refs, jcs)
     VALUES (?, ?, ?, ?, ?, ?, ?) ON CONFLICT (jcs_digest) DO NOTHING`,
  );
  const known = database.prepare('SELECT seq, trusted FROM statements WHERE jcs_digest = ?');
  const replace = database.prepare(
    'UPDATE statements SET rdfc_digest = ?, trusted = 1, kind = ?, context_set = ?, refs = ? WHERE seq = ?',
  );
  const index = database.prepare(
    'INSERT OR IGNORE INTO reference_index (target, role, kind, seq) VALUES (?, ?, ?, ?)',
  );
  const joinFirst = database.prepare('INSERT INTO statement_graphs (seq, position, graph) VALUES (?, 0, ?)');
  const join = database.prepare(
    `INSERT OR IGNORE INTO statement_graphs (seq, position, graph)
     SELECT ?1, coalesce(max(position) + 1, 0), ?2 FROM statement_graphs WHERE seq = ?1`,
  );

  function put(row: UnpackedRow, graph: number | null): PutOutcome {
    const { jcsDigest, rdfcDigest, isTrusted, kind, contextSet, references, jcs } = row;
    const trusted = Number(isTrusted);
    const inserted = insert.run(jcsDigest, rdfcDigest, trusted, kind, contextSet, references, jcs);
    if (inserted.changes === 0) return putKnown(row, graph);
    if (isTrusted) addReferences(row, inserted.lastInsertRowid);
    if (graph !== null) joinFirst.run(inserted.lastInsertRowid, graph);
    return 'stored';
  }

  function putKnown(row: UnpackedRow, graph: number | null): PutOutcome {
    const found = known.get(row.jcsDigest);
    const seq = Number(found?.seq);
    if (row.isTrusted && found?.trusted === 0) {
      replace.run(row.rdfcDigest, row.kind, row.contextSet, row.references, seq);
      addReferences(row, seq);
    }
    return graph !== null && join.run(seq, graph).changes === 1 ? 'joined' : 'known';
  }

  function addReferences({ references, kind }: UnpackedRow, seq: number | bigint): void {
    for (const [role, identifier] of JSON.parse(references) as [string, string][])
      index.run(referenceTarget(identifier), role, kind, seq);
  }

  function findGraph(graphId: string): number {
    const graph = graphByName.get(graphId);
    if (!graph) throw new ServiceError('unknown_graph', `The graph ${graphId} is not registered.`);
    return Number(graph.id);
  }

  return {
    putStatements({ graphId }: { graphId: string | null }, slices: readonly StatementSlice[]): PutOutcome[] {
      const graph = graphId === null ? null : findGraph(graphId);
      const outcomes = slices.flatMap((slice) =>
        unpack(slice)
          .map((row) => put(row, graph))
          .toArray(),
      );
      if (graph !== null) count.run(outcomes.filter((outcome) => outcome !== 'known').length, graph);
      return outcomes;
    },
  };
}
