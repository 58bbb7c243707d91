import type { DatabaseSync, SQLOutputValue, StatementSync } from 'node:sqlite';
import type { Visibility } from '../../../domain/access/visibility.ts';
import { type Cid, codecs, makeCid } from '../../../domain/integrity/identifiers/cid.ts';
import type { StatementRow, StoredStatement } from '../../../domain/integrity/ports.ts';
import type { Reference } from '../../../domain/integrity/statements/references.ts';

export type Row = Record<string, SQLOutputValue>;

/** Statements with their graphs, oldest first, and the projects of those. */
export function selectStatements(reader: DatabaseSync, where: string): StatementSync {
  return reader.prepare(
    `SELECT seq, jcs_digest, rdfc_digest, trusted, kind, time, context_set, refs, jcs, (
       SELECT json_group_array(json_array(graph_id, project_id) ORDER BY position)
       FROM statement_graphs JOIN graphs ON graphs.id = graph WHERE statement_graphs.seq = statements.seq
     ) AS graphs
     FROM statements WHERE ${where}`,
  );
}

export function statementRow(row: Row): StatementRow {
  return {
    jcsCid: makeCid(codecs.jcs, row.jcs_digest as Uint8Array),
    rdfcCid: makeCid(codecs.rdfc, row.rdfc_digest as Uint8Array),
    jcs: row.jcs as Uint8Array,
    kind: String(row.kind),
    references: referencesIn(row),
    time: row.time === null ? null : Number(row.time),
    contextSet: String(row.context_set),
    isTrusted: Number(row.trusted) === 1,
  };
}

/** The statement with those of its graphs that the reader may see; undefined for one that has none of them. */
export function visibleStatement(row: Row, { projects }: Visibility): StoredStatement | undefined {
  const graphs = JSON.parse(String(row.graphs)) as [graphId: string, projectId: string][];
  const visible = projects === 'all' ? graphs : graphs.filter(([, projectId]) => projects.has(projectId));
  if (projects !== 'all' && visible.length === 0) return undefined;
  return { ...statementRow(row), graphIds: visible.map(([graphId]) => graphId) };
}

/** Whether a CID can be one of a statement's two: their codecs and hash function are fixed. */
export function isStatementCid(cid: Cid, codec: number): boolean {
  return cid.codec === codec && cid.multihash === 'blake3';
}

export function referencesIn(row: Row): Reference[] {
  const references = JSON.parse(String(row.refs)) as [role: string, identifier: string][];
  return references.map(([role, identifier]) => ({ identifier, role }));
}
