import { codecs, makeCid } from '../identifiers/cid.ts';
import type { StatementRow } from '../ports.ts';
import { jcsText, type PackedReferences, packReferences, unpackReferences } from './packed-references.ts';

const digestLength = 32;

/** Rows as one buffer and one text, which are cheaper to send between threads and to write than objects. */
export interface PackedSlice {
  /** For each row the digest of its `jcs_cid`, the digest of its `rdfc_cid`, and its JCS bytes. */
  readonly bytes: Uint8Array;
  /** JSON of `Rest`. */
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
  extends Pick<StatementRow, 'kind' | 'time' | 'contextSet' | 'isTrusted' | 'jcs'> {
  readonly jcsDigest: Uint8Array;
  readonly rdfcDigest: Uint8Array;
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
    this.#reserve(2 * digestLength + bytes.length);
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

/** @param kind only rows of this kind. Default: all. */
export function* unpackSlice({ bytes, rest }: PackedSlice, kind?: string): Generator<UnpackedRow> {
  if (kind !== undefined && !rest.includes(kind)) return;
  const { terms, rows } = JSON.parse(rest) as Rest;
  const wanted = kind === undefined ? undefined : terms.indexOf(kind);
  let start = 0;
  for (const [length, kindAt, contextSetAt, time, isTrusted, references] of rows) {
    const jcsStart = start + 2 * digestLength;
    const end = jcsStart + length;
    if (wanted === undefined || wanted === kindAt)
      yield {
        jcsDigest: bytes.subarray(start, start + digestLength),
        rdfcDigest: bytes.subarray(start + digestLength, jcsStart),
        jcs: bytes.subarray(jcsStart, end),
        kind: terms[kindAt] ?? '',
        contextSet: terms[contextSetAt] ?? '',
        time,
        isTrusted: isTrusted === 1,
        references,
      };
    start = end;
  }
}

export function unpackedRow({ jcsDigest, rdfcDigest, references, ...row }: UnpackedRow): StatementRow {
  return {
    ...row,
    jcsCid: makeCid(codecs.jcs, jcsDigest),
    rdfcCid: makeCid(codecs.rdfc, rdfcDigest),
    references: unpackReferences(references, jcsText(row.jcs)),
  };
}
