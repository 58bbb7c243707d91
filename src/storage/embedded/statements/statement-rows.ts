import type { DatabaseSync, SQLOutputValue, StatementSync } from 'node:sqlite';
import { type Cid, codecs, makeCid } from '../../../domain/integrity/identifiers/cid.ts';
import type { StatementRow } from '../../../domain/integrity/ports.ts';
import type { Reference } from '../../../domain/integrity/statements/references.ts';
import type { Membership, ReferringStatement } from '../../../domain/integrity/statements/rows.ts';
import type { Sort } from '../index/entries.ts';

export type Row = Record<string, SQLOutputValue>;

/** An association's type that is longer is left out. */
const typeLength = 100;

/** Numbers of graphs, oldest membership first. */
const graphs = (sort: Sort) => `(
  SELECT group_concat(graph) FROM (
    SELECT graph FROM ${sort}_graphs WHERE ${sort}_graphs.seq = ${sort}_rows.seq ORDER BY position
  )
) AS graphs`;

/** What lists and traversals tell of rows. */
export function selectListed(reader: DatabaseSync, sort: Sort): StatementSync {
  return reader.prepare(
    `SELECT jcs_digest, rdfc_digest, kind, time, refs, length(jcs) AS size, ${graphs(sort)},
       CASE kind WHEN 'AssociationRegistration' THEN CAST(jcs AS TEXT) ->> '$.type' END AS association_type
     FROM ${sort}_rows WHERE seq = ?`,
  );
}

/** Whole rows with their graphs. */
export function selectWhole(reader: DatabaseSync, sort: Sort, where: string): StatementSync {
  return reader.prepare(`SELECT *, ${graphs(sort)} FROM ${sort}_rows WHERE ${where}`);
}

/** Graphs kept in memory. */
const graphsKept = 100_000;

/** Tells the registered graphs of a row. What a graph is called never changes. */
export function membershipReads(reader: DatabaseSync): Memberships {
  const find = reader.prepare('SELECT graph_id, project_id FROM graphs WHERE id = ?');
  const known = new Map<string, Membership>();

  function graph(id: string): Membership[] {
    const kept = known.get(id);
    if (kept) return [kept];
    const row = find.get(id);
    if (!row) return [];
    const membership = { graphId: String(row.graph_id), projectId: String(row.project_id) };
    if (known.size < graphsKept) known.set(id, membership);
    return [membership];
  }

  return (row) => (row.graphs === null ? [] : String(row.graphs).split(',').flatMap(graph));
}

export type Memberships = (row: Row) => Membership[];

export function statementRow(row: Row, sort: Sort): StatementRow {
  return {
    jcsCid: makeCid(codecs.jcs, row.jcs_digest as Uint8Array),
    rdfcCid: makeCid(codecs.rdfc, row.rdfc_digest as Uint8Array),
    jcs: row.jcs as Uint8Array,
    kind: String(row.kind),
    references: referencesIn(row),
    time: timeIn(row),
    contextSet: String(row.context_set),
    isTrusted: sort === 'verified',
  };
}

export function referringRow(row: Row, sort: Sort, memberships: Memberships): ReferringStatement {
  const type = row.association_type;
  return {
    rdfcCid: makeCid(codecs.rdfc, row.rdfc_digest as Uint8Array),
    kind: String(row.kind),
    references: referencesIn(row),
    isTrusted: sort === 'verified',
    associationType: typeof type === 'string' && type.length <= typeLength ? type : null,
    memberships: memberships(row),
  };
}

export function timeIn({ time }: Row): number | null {
  return time === null ? null : Number(time);
}

/** Whether a CID can be one of a statement's two: their codecs and hash function are fixed. */
export function isStatementCid(cid: Cid, codec: number): boolean {
  return cid.codec === codec && cid.multihash === 'blake3';
}

function referencesIn(row: Row): Reference[] {
  const references = JSON.parse(String(row.refs)) as [role: string, identifier: string][];
  return references.map(([role, identifier]) => ({ identifier, role }));
}
