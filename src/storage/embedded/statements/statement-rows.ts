import type { DatabaseSync, SQLOutputValue, StatementSync } from 'node:sqlite';
import { type Cid, codecs, makeCid } from '../../../domain/integrity/identifiers/cid.ts';
import type { StatementRow } from '../../../domain/integrity/ports.ts';
import type { Reference } from '../../../domain/integrity/statements/references.ts';
import type { Membership, ReferringRow } from '../../../domain/integrity/statements/rows.ts';
import type { Sort } from '../index/entries.ts';

export type Row = Record<string, SQLOutputValue>;

/** An association's type that is longer is left out. */
const typeLength = 100;

/** What a traversal reads of rows. */
export function selectReferring(reader: DatabaseSync, sort: Sort): StatementSync {
  return reader.prepare(
    `SELECT jcs_digest, rdfc_digest, kind, refs,
       CASE kind WHEN 'AssociationRegistration' THEN CAST(jcs AS TEXT) ->> '$.type' END AS association_type
     FROM ${sort}_rows WHERE seq = ?`,
  );
}

/** Graphs kept in memory. */
const graphsKept = 100_000;

/** The registered graphs of rows, by their numbers. What a graph is called never changes. */
export function membershipReads(reader: DatabaseSync, sort: Sort): (seq: number | bigint) => Membership[] {
  const graphsOf = reader.prepare(`SELECT graph FROM ${sort}_graphs WHERE seq = ? ORDER BY position`);
  const find = reader.prepare('SELECT graph_id, project_id FROM graphs WHERE id = ?');
  const known = new Map<number, Membership>();

  function graph(id: number): Membership[] {
    const kept = known.get(id);
    if (kept) return [kept];
    const row = find.get(id);
    if (!row) return [];
    const membership = { graphId: String(row.graph_id), projectId: String(row.project_id) };
    if (known.size < graphsKept) known.set(id, membership);
    return [membership];
  }

  return (seq) => graphsOf.all(seq).flatMap((row) => graph(Number(row.graph)));
}

export function statementRow(row: Row, sort: Sort): StatementRow {
  return {
    jcsCid: makeCid(codecs.jcs, row.jcs_digest as Uint8Array),
    rdfcCid: makeCid(codecs.rdfc, row.rdfc_digest as Uint8Array),
    jcs: row.jcs as Uint8Array,
    kind: String(row.kind),
    references: referencesIn(row),
    time: row.time === null ? null : Number(row.time),
    contextSet: String(row.context_set),
    isTrusted: sort === 'verified',
  };
}

/** A row of `selectReferring`. What traversals seldom ask for is made when it is read. */
export function referringRow(
  row: Row,
  sort: Sort,
  mark: string,
  memberships: () => Membership[],
): ReferringRow {
  const { jcs_digest, association_type: type } = row;
  return {
    get jcsCid() {
      return makeCid(codecs.jcs, jcs_digest as Uint8Array);
    },
    get memberships() {
      return memberships();
    },
    rdfcCid: makeCid(codecs.rdfc, row.rdfc_digest as Uint8Array),
    kind: String(row.kind),
    references: referencesIn(row),
    isTrusted: sort === 'verified',
    associationType: typeof type === 'string' && type.length <= typeLength ? type : null,
    mark,
  };
}

/** Whether a CID can be one of a statement's two: their codecs and hash function are fixed. */
export function isStatementCid(cid: Cid, codec: number): boolean {
  return cid.codec === codec && cid.multihash === 'blake3';
}

function referencesIn(row: Row): Reference[] {
  const references = JSON.parse(String(row.refs)) as [role: string, identifier: string][];
  return references.map(([role, identifier]) => ({ identifier, role }));
}
