import { sha256Hex } from '../../../domain/integrity/identifiers/hashing.ts';
import {
  jcsText,
  placesIn,
  type RowBytes,
  type UnpackedRow,
  unpackReferences,
} from '../../../domain/integrity/statements/packed-rows.ts';
import { otherPlaces } from '../../../domain/integrity/statements/places.ts';
import type { LevelledSet } from './levels.ts';

/** Rows with verified contexts and the others are in separate tables of the same form. */
export type Partition = 'verified' | 'unverified';

/**
 * The index of rows by the digests of their own ids and by the identifiers that they refer to, with the number of the
 * place (`statementPlaces`). It keeps only the beginnings of hashes, so a reader must compare the whole value in the row.
 */
export function entriesOf(partition: Partition): LevelledSet {
  return { name: `${partition}_entries`, columns: ['target', 'place', 'seq'], keys: 8_000 };
}
export const entryTypes = ['INTEGER', 'INTEGER', 'INTEGER'];

/** The order in which manifests have the rows of a graph. */
export function orderOf(partition: Partition): LevelledSet {
  return { name: `${partition}_order`, columns: ['graph', 'id_start', 'seq'], keys: 1_000 };
}
export const orderTypes = ['INTEGER', 'BLOB', 'INTEGER'];

/** Bytes of an id's digest that order manifests: enough to make collisions infeasible. */
export const idStartBytes = 16;

/** Places of a row's own digests. Places of references start at 0. */
export const jcsPlace = -1;
export const rdfcPlace = -2;

const targetBytes = 6;
/** Larger numbers take more bytes in SQLite. */
const targets = 2 ** 47;

/** A condition in SQL for the row with the digest `?1`, whose `digestTarget` is `?2`. */
export function hasJcs(partition: Partition): string {
  return `jcs_digest = ?1 AND seq IN (SELECT seq FROM ${partition}_entries WHERE target = ?2 AND place = ${jcsPlace})`;
}

/** The start of a digest as a number. */
export function digestTarget(digest: Uint8Array): number {
  let target = 0;
  for (let at = 0; at < targetBytes; at += 1) target = target * 256 + (digest[at] ?? 0);
  return target % targets;
}

/** The same number of the SHA-256 of an identifier. */
export function referenceTarget(identifier: string): number {
  return Number.parseInt(sha256Hex(identifier).slice(0, 2 * targetBytes), 16) % targets;
}

export type IndexedRow = RowBytes & Pick<UnpackedRow, 'references'>;

/** The index entries of a row. One can occur several times. */
export function entryKeys(row: IndexedRow): [target: number, place: number][] {
  const places = placesIn(row.references);
  const targets = unpackReferences(row.references, jcsText(row.jcs));
  return [
    [digestTarget(row.jcsDigest), jcsPlace],
    [digestTarget(row.rdfcDigest), rdfcPlace],
    ...targets.map(({ identifier }, at): [number, number] => [
      referenceTarget(identifier),
      places[at] ?? otherPlaces,
    ]),
  ];
}
