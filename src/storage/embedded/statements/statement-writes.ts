import type { DatabaseSync, SQLOutputValue } from 'node:sqlite';
import { ServiceError } from '../../../domain/errors.ts';
import type { PutOutcome } from '../../../domain/integrity/ports.ts';
import { graphOrderWrites } from '../graphs/graph-order.ts';
import { digestReads } from '../index/digest-reads.ts';
import { entryWrites } from '../index/entry-writes.ts';
import type { LevelSizes } from '../index/levels.ts';
import { timeBlockWrites } from '../index/time-blocks.ts';
import { type StatementSlice, type UnpackedRow, unpack } from './statement-slices.ts';

/** Writes of statements, for the thread that writes. */
export function statementWrites(database: DatabaseSync, levelSizes: LevelSizes) {
  const graphByName = database.prepare('SELECT id FROM graphs WHERE graph_id = ?');
  const count = database.prepare('UPDATE graphs SET statements = statements + ? WHERE id = ?');
  const entries = entryWrites(database, levelSizes);
  const order = graphOrderWrites(database, levelSizes);
  const timeBlocks = timeBlockWrites(database);
  const { byJcs } = digestReads(database);
  const insert = database.prepare(
    `INSERT INTO statements (jcs_digest, rdfc_digest, trusted, kind, time, context_set, refs, jcs)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
  );
  const known = database.prepare('SELECT rdfc_digest, trusted, kind, refs FROM statements WHERE seq = ?');
  const replace = database.prepare(
    'UPDATE statements SET rdfc_digest = ?, trusted = 1, kind = ?, context_set = ?, refs = ? WHERE seq = ?',
  );
  const graphsOf = database.prepare('SELECT graph FROM statement_graphs WHERE seq = ?');
  const joinFirst = database.prepare('INSERT INTO statement_graphs (seq, position, graph) VALUES (?, 0, ?)');
  const join = database.prepare(
    `INSERT OR IGNORE INTO statement_graphs (seq, position, graph)
     SELECT ?1, coalesce(max(position) + 1, 0), ?2 FROM statement_graphs WHERE seq = ?1`,
  );
  const isImport = database.prepare('SELECT 1 FROM graph_imports WHERE id = ?');
  const countImported = database.prepare('UPDATE graph_imports SET statements = statements + ? WHERE id = ?');

  function put(row: UnpackedRow, graph: number | null): PutOutcome {
    const { jcsDigest, rdfcDigest, isTrusted, kind, time, contextSet, references, jcs } = row;
    const found = byJcs(jcsDigest);
    if (found !== undefined) return putKnown(found, row, graph);
    const trusted = isTrusted ? 1 : 0;
    const rest = [kind, time, contextSet, references, jcs];
    const seq = Number(insert.run(jcsDigest, rdfcDigest, trusted, ...rest).lastInsertRowid);
    entries.addJcs(jcsDigest, seq);
    entries.add(row, trusted, seq);
    if (time !== null) timeBlocks.add(seq, time);
    if (graph !== null) {
      joinFirst.run(seq, graph);
      order.add(graph, rdfcDigest, seq);
    }
    return 'stored';
  }

  function putKnown(seq: number, row: UnpackedRow, graph: number | null): PutOutcome {
    const before = known.get(seq) ?? {};
    const isBetter = row.isTrusted && before.trusted === 0;
    if (isBetter) replaceRow(seq, before, row);
    if (graph === null || join.run(seq, graph).changes === 0) return 'known';
    order.add(graph, isBetter ? row.rdfcDigest : (before.rdfc_digest as Uint8Array), seq);
    return 'joined';
  }

  function replaceRow(seq: number, before: Record<string, SQLOutputValue>, row: UnpackedRow): void {
    const rdfcDigest = before.rdfc_digest as Uint8Array;
    const said = { rdfcDigest, kind: String(before.kind), references: String(before.refs) };
    entries.remove(said, 0, seq);
    entries.add(row, 1, seq);
    for (const { graph } of graphsOf.all(seq)) {
      order.remove(Number(graph), rdfcDigest, seq);
      order.add(Number(graph), row.rdfcDigest, seq);
    }
    replace.run(row.rdfcDigest, row.kind, row.contextSet, row.references, seq);
  }

  function putAll(slices: readonly StatementSlice[], graph: number | null): PutOutcome[] {
    entries.begin();
    order.begin();
    const outcomes = slices.flatMap((slice) =>
      unpack(slice)
        .map((row) => put(row, graph))
        .toArray(),
    );
    entries.settle();
    order.settle();
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
