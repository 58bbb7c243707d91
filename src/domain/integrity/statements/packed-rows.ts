import { codecs, makeCid } from '../identifiers/cid.ts';
import { asBuffer } from '../identifiers/hashing.ts';
import type { StatementRow } from '../ports.ts';
import { otherPlaces, placeNumber, statementPlaces } from './places.ts';
import type { Reference } from './references.ts';

/*
 * The packed form of rows. Threads send it, stores write it, and nobody else knows its layout.
 *
 * bytes  for each row: digest of `jcs_cid` (32) | digest of `rdfc_cid` (32) | JCS bytes
 * rest   JSON of `Rest`: for each row the length of its JCS bytes, and everything else
 *
 * Both digests are BLAKE3-256.
 */
export const digestBytes = 32;
const headBytes = 2 * digestBytes;

/** The parts of a row in `bytes`. */
export interface RowBytes {
  readonly jcsDigest: Uint8Array;
  readonly rdfcDigest: Uint8Array;
  readonly jcs: Uint8Array;
}

/** How many bytes a row takes in `bytes`. */
export function rowLength(jcsLength: number): number {
  return headBytes + jcsLength;
}

/** The row that starts there in `bytes`. */
export function rowAt(bytes: Uint8Array, start: number, jcsLength: number): RowBytes {
  return {
    jcsDigest: bytes.subarray(start, start + digestBytes),
    rdfcDigest: bytes.subarray(start + digestBytes, start + headBytes),
    jcs: bytes.subarray(start + headBytes, start + rowLength(jcsLength)),
  };
}

/** Rows as one buffer and one text, which are cheaper to send between threads and to write than objects. */
export interface PackedSlice {
  readonly bytes: Uint8Array;
  readonly rest: string;
}

interface Rest {
  /** The distinct kinds and context sets of the rows. */
  readonly terms: readonly string[];
  readonly rows: readonly RestOfRow[];
}

/** Kind and context set are positions in `terms`. */
type RestOfRow = readonly [
  jcsLength: number,
  kind: number,
  contextSet: number,
  time: number | null,
  isTrusted: 0 | 1,
  references: PackedReferences,
];

/** A row without CIDs and references, which are expensive to make. */
export interface UnpackedRow
  extends RowBytes,
    Pick<StatementRow, 'kind' | 'time' | 'contextSet' | 'isTrusted'> {
  readonly references: PackedReferences;
}

/** A row to pack, with its JCS as bytes or as text. */
export type RowToPack = Omit<StatementRow, 'jcs'> & { readonly jcs: Uint8Array | string };

/** Rows that stay packed until they are iterated over. */
export class PackedRows implements Iterable<StatementRow> {
  readonly slices: readonly PackedSlice[];

  constructor(slices: readonly PackedSlice[]) {
    this.slices = slices;
  }

  static of(rows: Iterable<StatementRow>): PackedRows {
    if (rows instanceof PackedRows) return rows;
    const packer = new RowPacker();
    for (const row of rows) packer.add(row);
    return new PackedRows([packer.slice()]);
  }

  *[Symbol.iterator](): Generator<StatementRow> {
    for (const slice of this.slices) for (const row of unpackSlice(slice)) yield unpackedRow(row);
  }
}

/** Packs rows one by one. Only bytes and texts are kept of them. */
export class RowPacker {
  #bytes = new Uint8Array();
  #end = 0;
  readonly #terms = new Map<string, number>();
  readonly #rows: string[] = [];

  add({ jcsCid, rdfcCid, jcs, kind, time, contextSet, isTrusted, references }: RowToPack): void {
    const text = typeof jcs === 'string' ? jcs : jcsText(jcs);
    const bytes = typeof jcs === 'string' ? Buffer.from(jcs) : jcs;
    this.#reserve(rowLength(bytes.length));
    for (const part of [jcsCid.digest, rdfcCid.digest, bytes]) this.#append(part);
    const row: RestOfRow = [
      bytes.length,
      this.#term(kind),
      this.#term(contextSet),
      time,
      isTrusted ? 1 : 0,
      packReferences(references, { kind, jcs: text }),
    ];
    this.#rows.push(JSON.stringify(row));
  }

  slice(): PackedSlice {
    const terms = JSON.stringify([...this.#terms.keys()]);
    const isFull = this.#end === this.#bytes.length;
    return {
      bytes: isFull ? this.#bytes : this.#bytes.slice(0, this.#end),
      rest: `{"terms":${terms},"rows":[${this.#rows.join()}]}`,
    };
  }

  #term(term: string): number {
    return this.#terms.getOrInsert(term, this.#terms.size);
  }

  #reserve(length: number): void {
    const end = this.#end + length;
    if (end <= this.#bytes.length) return;
    const larger = new Uint8Array(Math.max(end, 2 * this.#bytes.length));
    larger.set(this.#bytes.subarray(0, this.#end));
    this.#bytes = larger;
  }

  #append(bytes: Uint8Array): void {
    this.#bytes.set(bytes, this.#end);
    this.#end += bytes.length;
  }
}

/** The rows of one kind. Packed rows of other kinds stay packed. */
export function* rowsOfKind(rows: Iterable<StatementRow>, kind: string): Generator<StatementRow> {
  if (!(rows instanceof PackedRows)) {
    for (const row of rows) if (row.kind === kind) yield row;
    return;
  }
  for (const slice of rows.slices) for (const row of unpackSlice(slice, kind)) yield unpackedRow(row);
}

/** The rows of the slices whose bytes contain a text. The others stay packed. */
export function* unpackedRows({ slices }: PackedRows, text: string): Generator<StatementRow> {
  for (const slice of slices) {
    const { buffer, byteOffset, byteLength } = slice.bytes;
    if (!Buffer.from(buffer, byteOffset, byteLength).includes(text)) continue;
    for (const row of unpackSlice(slice)) yield unpackedRow(row);
  }
}

/** @param kind only rows of this kind. Default: all. */
export function* unpackSlice({ bytes, rest }: PackedSlice, kind?: string): Generator<UnpackedRow> {
  if (kind !== undefined && !rest.includes(kind)) return;
  const { terms, rows } = JSON.parse(rest) as Rest;
  const wanted = kind === undefined ? undefined : terms.indexOf(kind);
  let start = 0;
  for (const [length, kindAt, contextSetAt, time, isTrusted, references] of rows) {
    if (wanted === undefined || wanted === kindAt)
      yield {
        ...rowAt(bytes, start, length),
        kind: terms[kindAt] ?? '',
        contextSet: terms[contextSetAt] ?? '',
        time,
        isTrusted: isTrusted === 1,
        references,
      };
    start += rowLength(length);
  }
}

function unpackedRow({ jcsDigest, rdfcDigest, references, ...row }: UnpackedRow): StatementRow {
  return {
    ...row,
    jcsCid: makeCid(codecs.jcs, jcsDigest),
    rdfcCid: makeCid(codecs.rdfc, rdfcDigest),
    references: unpackReferences(references, jcsText(row.jcs)),
  };
}

/**
 * References in short form, two items each. The first says where the statement refers from: the number of the place
 * (see `placeNumber`), or for other places the role. The second says to what: the position of the identifier in the JCS
 * text, or the identifier itself if the JCS spells it otherwise. References of large statements are never positions, so
 * that they can be read without the statement.
 */
export type PackedReferences = readonly (number | string)[];

/** References of statements with more bytes are kept as text. */
export const positionedBytes = 1 << 13;

export function packReferences(
  references: readonly Reference[],
  { kind, jcs }: { readonly kind: string; readonly jcs: string },
): PackedReferences {
  const isLarge = Buffer.byteLength(jcs) > positionedBytes;
  return references.flatMap(({ role, identifier }) => [
    placeNumber({ role, kind }) || role,
    isLarge ? identifier : (positionOf(identifier, jcs) ?? identifier),
  ]);
}

/** A quote ends the identifier, so it must not hold one. */
function positionOf(identifier: string, jcs: string): number | undefined {
  const at = identifier.includes('"') ? -1 : jcs.indexOf(`"${identifier}"`);
  return at < 0 ? undefined : at + 1;
}

/** @throws RangeError for references that do not fit the text. */
export function unpackReferences(packed: PackedReferences, jcs: string): Reference[] {
  const references: Reference[] = [];
  for (let at = 0; at < packed.length; at += 2) {
    const [from, to] = [packed[at], packed[at + 1]];
    const role = typeof from === 'string' ? from : statementPlaces[Number(from) - 1]?.role;
    const identifier = typeof to === 'string' ? to : textAt(jcs, Number(to));
    if (role === undefined || identifier === undefined) throw new RangeError('A reference has no place.');
    references.push({ identifier, role });
  }
  return references;
}

/** The place of each reference, see `placeNumber`. */
export function placesIn(packed: PackedReferences): number[] {
  return Array.from({ length: referenceCount(packed) }, (_, at) => {
    const from = packed[2 * at];
    return typeof from === 'number' ? from : otherPlaces;
  });
}

export function referenceCount({ length }: PackedReferences): number {
  return length / 2;
}

function textAt(jcs: string, start: number): string | undefined {
  const end = jcs.indexOf('"', start);
  return end >= start ? jcs.slice(start, end) : undefined;
}

/** The text of JCS bytes. */
export function jcsText(jcs: Uint8Array): string {
  return asBuffer(jcs).toString();
}
