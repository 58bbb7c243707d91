import type { DatabaseSync } from 'node:sqlite';
import { ServiceError } from '../../../domain/errors.ts';
import type { PutCounts, PutOutcome } from '../../../domain/integrity/ports.ts';
import { type PackedSlice, unpackSlice } from '../../../domain/integrity/statements/packed-rows.ts';
import type { Partition } from '../index/entries.ts';
import { noGraph, type UnloggedWrites } from '../log/unlogged-writes.ts';
import type { GraphOfRow, NumberedRow, SortWrites } from './row-writes.ts';
import { termWrites } from './terms.ts';

export function statementWrites(
  database: DatabaseSync,
  sorts: SortWrites,
  unlogged: Pick<UnloggedWrites, 'begin' | 'note' | 'flush'>,
) {
  const { verified, unverified } = sorts;
  const homes = 'SELECT graphs.id, projects.id AS project FROM graphs JOIN projects USING (project_id)';
  const byName = database.prepare(`${homes} WHERE graph_id = ?`);
  const termNumber = termWrites(database);
  const byNumber = database.prepare(`${homes} WHERE graphs.id = ?`);
  const count = database.prepare('UPDATE graphs SET statements = statements + ? WHERE id = ?');
  const isImport = database.prepare('SELECT 1 FROM graph_imports WHERE id = ?');
  const countImported = database.prepare('UPDATE graph_imports SET statements = statements + ? WHERE id = ?');
  /** Number of rows that have joined the graph of this write. */
  let joined = 0;
  const addRegistrar = registrarWrites(database);
  /** Numbers of the first and the last new verified row of this write. */
  let added: { readonly first: number; readonly last: number } | null = null;

  function insertVerified(row: NumberedRow): number {
    const seq = verified.insert(row);
    added = { first: added?.first ?? seq, last: seq };
    return seq;
  }

  function put(row: NumberedRow, home: GraphOfRow | null): PutOutcome {
    const known = verified.find(row.jcsDigest);
    if (known !== undefined) return join('verified', known, home) ? 'joined' : 'known';
    const hidden = unverified.find(row.jcsDigest);
    if (hidden !== undefined && row.isTrusted) return promote(row, hidden, home);
    if (hidden !== undefined) return join('unverified', hidden, home) ? 'joined' : 'known';
    const partition = row.isTrusted ? 'verified' : 'unverified';
    const seq = row.isTrusted ? insertVerified(row) : unverified.insert(row);
    if (home !== null) {
      sorts[partition].joinNew(seq, row, home);
      joined += 1;
    }
    noteFor(home, partition, seq);
    return 'stored';
  }

  /** A known row is noted for the log of those without a graph, because it may be in graphs alone. */
  function join(partition: Partition, seq: number, home: GraphOfRow | null): boolean {
    const hasJoined = home === null || sorts[partition].join(seq, home);
    if (hasJoined) noteFor(home, partition, seq);
    if (home === null || !hasJoined) return false;
    joined += 1;
    return true;
  }

  /** The rows of an import are noted when it is published. */
  function noteFor(home: GraphOfRow | null, partition: Partition, seq: number): void {
    if (home === null) unlogged.note(noGraph, partition, seq);
    else if (home.project !== null) unlogged.note(home.id, partition, seq);
  }

  /** Moves an unverified row to the verified ones, with all its graphs. */
  function promote(row: NumberedRow, hidden: number, home: GraphOfRow | null): PutOutcome {
    const graphs = unverified.graphsOf(hidden);
    unverified.remove(hidden);
    const seq = insertVerified(row);
    for (const id of graphs) {
      const graph = homeOf(id);
      verified.join(seq, graph);
      noteFor(graph, 'verified', seq);
    }
    join('verified', seq, home);
    return 'joined';
  }

  function homeOf(id: number): GraphOfRow {
    return { id, project: Number(byNumber.get(id)?.project ?? 0) || null };
  }

  function putAll(slices: readonly PackedSlice[], home: GraphOfRow | null): PutCounts {
    joined = 0;
    added = null;
    unlogged.begin();
    const counts = { stored: 0, joined: 0, known: 0 };
    // A rollback takes numbers back, so they are not kept for other writes.
    const numbers = new Map<string, number>();
    const numbered = (term: string) => numbers.getOrInsertComputed(term, termNumber);
    for (const slice of slices) {
      for (const { kind, contextSet, ...row } of unpackSlice(slice))
        counts[put({ ...row, kind: numbered(kind), contextSet: numbered(contextSet) }, home)] += 1;
    }
    unlogged.flush();
    return counts;
  }

  function findGraph(graphId: string): GraphOfRow {
    const found = byName.get(graphId);
    if (!found) throw new ServiceError('unknown_graph', `The graph ${graphId} is not registered.`);
    return { id: Number(found.id), project: Number(found.project) };
  }

  return {
    putStatements({ graphId, slices, registrar }: PutRequest): PutCounts {
      const home = graphId === null ? null : findGraph(graphId);
      const counts = putAll(slices, home);
      if (home) count.run(joined, home.id);
      if (added !== null && registrar !== null) addRegistrar(added.first, added.last, registrar);
      return counts;
    },

    putImported({ graph, slices }: { graph: number; slices: Slices }): PutCounts {
      if (!isImport.get(graph)) throw new ServiceError('conflict', 'The import is over.');
      const counts = putAll(slices, { id: graph, project: null });
      countImported.run(joined, graph);
      return counts;
    },
  };
}

type Slices = readonly PackedSlice[];

interface PutRequest {
  readonly graphId: string | null;
  readonly slices: Slices;
  readonly registrar: string | null;
}

function registrarWrites(database: DatabaseSync) {
  const extend = database.prepare(
    `UPDATE registrars SET last = ?2 WHERE first = (SELECT max(first) FROM registrars) AND last = ?1 - 1 AND registrar = ?3`,
  );
  const insert = database.prepare('INSERT OR REPLACE INTO registrars VALUES (?, ?, ?)');
  return (first: number, last: number, registrar: string): void => {
    if (extend.run(first, last, registrar).changes === 0) insert.run(first, last, registrar);
  };
}
