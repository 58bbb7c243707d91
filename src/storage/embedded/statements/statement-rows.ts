import type { DatabaseSync, SQLOutputValue } from 'node:sqlite';
import { type Cid, codecs, makeCid } from '../../../domain/integrity/identifiers/cid.ts';
import { asBuffer, isBlake3 } from '../../../domain/integrity/identifiers/hashing.ts';
import type { StatementRow } from '../../../domain/integrity/ports.ts';
import {
  digestBytes,
  jcsText,
  positionedBytes,
  unpackReferences,
} from '../../../domain/integrity/statements/packed-rows.ts';
import type { Reference } from '../../../domain/integrity/statements/references.ts';
import { type Membership, type ReferringRow, shownType } from '../../../domain/integrity/statements/rows.ts';
import { damagedDatabase } from '../errors.ts';
import { digestTarget, jcsPlace, type Partition } from '../index/entries.ts';
import type { TermReads } from './terms.ts';

export type Row = Record<string, SQLOutputValue>;

const graphs = (partition: Partition) => `(
  SELECT group_concat(graph) FROM (
    SELECT graph FROM ${partition}_graphs AS joined WHERE joined.seq = rows.seq ORDER BY position
  )
) AS graphs`;

export function selectWhole(partition: Partition, where: string): string {
  return `SELECT rows.*, ${graphs(partition)} FROM ${partition}_rows AS rows WHERE ${where}`;
}

const lightColumns = `rows.seq, jcs_digest, rdfc_digest, kind, refs, time,
  CASE WHEN length(jcs) <= ${positionedBytes} THEN CAST(jcs AS TEXT) END AS text,
  CASE kind WHEN (SELECT id FROM terms WHERE term = 'AssociationRegistration') THEN CAST(jcs AS TEXT) ->> '$.type'
  END AS association_type`;

/** Reads many rows at once, because a query costs as much as several rows. */
export function readsBySeq(reader: DatabaseSync, partition: Partition, columns: 'whole' | 'light') {
  const selected = columns === 'light' ? lightColumns : 'rows.*';
  const statement = reader.prepare(
    `SELECT ${selected}, ${graphs(partition)}
     FROM json_each(?) AS wanted CROSS JOIN ${partition}_rows AS rows ON rows.seq = wanted.value`,
  );
  return (seqs: readonly number[]): ReadonlyMap<number, Row> =>
    new Map(statement.all(JSON.stringify(seqs)).map((row) => [Number(row.seq), row]));
}

/** As `readsBySeq`, of the rows that have these digests of their bytes. Unknown digests are left out. */
export function readsByJcs(reader: DatabaseSync, partition: Partition, columns: 'whole' | 'placed') {
  const selected = columns === 'placed' ? 'rows.seq, jcs_digest' : 'rows.*';
  const statement = reader.prepare(
    `SELECT ${selected}, ${graphs(partition)}
     FROM json_each(?1) AS wanted CROSS JOIN ${partition}_entries AS entries
       ON target = wanted.value ->> 0 AND place = ${jcsPlace}
     CROSS JOIN ${partition}_rows AS rows ON rows.seq = entries.seq AND jcs_digest = unhex(wanted.value ->> 1)`,
  );
  return (digests: readonly Uint8Array[]): readonly Row[] =>
    statement.all(
      JSON.stringify(digests.map((digest) => [digestTarget(digest), asBuffer(digest).toString('hex')])),
    );
}

const graphsKept = 100_000;

export type Memberships = (row: Row) => Membership[];

/** The registered graphs of rows. Graphs never change, so they are cached. */
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

/** @throws ServiceError `damaged` unless the bytes of the row hash to its digest. */
export function statementRow(row: Row, partition: Partition, terms: TermReads): StatementRow {
  if (!isDigest(row.jcs_digest) || !isDigest(row.rdfc_digest) || !(row.jcs instanceof Uint8Array))
    throw damagedDatabase(`row ${row.seq} of ${partition}_rows has values of other types`);
  assertBytes(row.jcs, row.jcs_digest, `row ${row.seq} of ${partition}_rows`);
  return {
    jcsCid: makeCid(codecs.jcs, row.jcs_digest),
    rdfcCid: makeCid(codecs.rdfc, row.rdfc_digest),
    jcs: row.jcs,
    kind: terms.term(Number(row.kind)),
    references: referencesIn(row, jcsText(row.jcs)),
    time: timeIn(row),
    contextSet: terms.term(Number(row.context_set)),
    isTrusted: partition === 'verified',
  };
}

/** @throws ServiceError `damaged` unless the bytes hash to the digest. @param place names the row. */
export function assertBytes(jcs: Uint8Array, digest: Uint8Array, place: string): void {
  if (isBlake3(jcs, digest)) return;
  const { text } = makeCid(codecs.jcs, digest);
  throw damagedDatabase(`the bytes of ${place} are not those of ${text}`);
}

function isDigest(value: unknown): value is Uint8Array<ArrayBuffer> {
  return value instanceof Uint8Array && value.length === digestBytes;
}

/** A row without its bytes. Properties that traversals rarely use are computed on access. */
export class LightRow implements ReferringRow {
  readonly rdfcCid: Cid;
  readonly kind: string;
  readonly references: readonly Reference[];
  readonly time: number | null;
  readonly isTrusted: boolean;
  readonly associationType: string | null;
  readonly #row: Row;
  readonly #memberships: Memberships;

  constructor(row: Row, partition: Partition, terms: TermReads, memberships: Memberships) {
    if (!isDigest(row.rdfc_digest))
      throw damagedDatabase(`row ${row.seq} of ${partition}_rows has no digest`);
    this.rdfcCid = makeCid(codecs.rdfc, row.rdfc_digest);
    this.kind = terms.term(Number(row.kind));
    this.references = referencesIn(row, String(row.text ?? ''));
    this.time = timeIn(row);
    this.isTrusted = partition === 'verified';
    this.associationType = shownType(row.association_type);
    this.#row = { ...row, text: null };
    this.#memberships = memberships;
  }

  get jcsCid(): Cid {
    return makeCid(codecs.jcs, this.#row.jcs_digest as Uint8Array);
  }

  get mark(): string {
    return writeMark(Number(this.#row.seq));
  }

  get memberships(): readonly Membership[] {
    return this.#memberships(this.#row);
  }
}

export function writeMark(...numbers: readonly number[]): string {
  return numbers.map((number) => number.toString(36)).join('_');
}

function timeIn({ time }: Row): number | null {
  return time === null ? null : Number(time);
}

export function referencesIn(row: Row, jcs: string): Reference[] {
  try {
    return unpackReferences(JSON.parse(String(row.refs)), jcs);
  } catch (error) {
    throw damagedDatabase(`the references of row ${row.seq} cannot be read`, error);
  }
}
