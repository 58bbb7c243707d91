import type { StatementRow } from '../../../domain/integrity/ports.ts';

const digestBytes = 32;
const sliceRows = 100;
const sliceBytes = 1 << 20;

/** Rows on their way to the thread that writes: their digests and JCS bytes one after the other. */
export interface StatementSlice {
  readonly bytes: ArrayBuffer;
  readonly rows: readonly SlicedRow[];
}

interface SlicedRow {
  readonly kind: string;
  readonly contextSet: string;
  readonly isTrusted: boolean;
  readonly time: number | null;
  /** JSON: `[role, identifier]` for each reference. */
  readonly references: string;
  readonly jcsLength: number;
}

export interface UnpackedRow extends SlicedRow {
  readonly jcsDigest: Uint8Array;
  readonly rdfcDigest: Uint8Array;
  readonly jcs: Uint8Array;
}

/** Slices that each take about a millisecond to make. */
export function* statementSlices(rows: readonly StatementRow[]): Generator<StatementSlice> {
  for (let first = 0; first < rows.length; ) {
    const end = sliceEnd(rows, first);
    yield pack(rows.slice(first, end));
    first = end;
  }
}

function sliceEnd(rows: readonly StatementRow[], first: number): number {
  let end = first;
  let bytes = 0;
  while (end < rows.length && end - first < sliceRows && bytes < sliceBytes)
    bytes += rows[end++]?.jcs.length ?? 0;
  return end;
}

function pack(rows: readonly StatementRow[]): StatementSlice {
  const length = rows.reduce((sum, { jcs }) => sum + 2 * digestBytes + jcs.length, 0);
  const bytes = new Uint8Array(length);
  let offset = 0;
  const append = (part: Uint8Array) => {
    bytes.set(part, offset);
    offset += part.length;
  };
  for (const { jcsCid, rdfcCid, jcs } of rows) {
    append(jcsCid.digest);
    append(rdfcCid.digest);
    append(jcs);
  }
  return { bytes: bytes.buffer, rows: rows.map(slicedRow) };
}

function slicedRow({ kind, contextSet, isTrusted, time, references, jcs }: StatementRow): SlicedRow {
  const pairs = references.map(({ role, identifier }) => [role, identifier]);
  return { kind, contextSet, isTrusted, time, references: JSON.stringify(pairs), jcsLength: jcs.length };
}

export function* unpack({ bytes, rows }: StatementSlice): Generator<UnpackedRow> {
  let offset = 0;
  const take = (length: number) => {
    const part = new Uint8Array(bytes, offset, length);
    offset += length;
    return part;
  };
  for (const row of rows) {
    yield { ...row, jcsDigest: take(digestBytes), rdfcDigest: take(digestBytes), jcs: take(row.jcsLength) };
  }
}
