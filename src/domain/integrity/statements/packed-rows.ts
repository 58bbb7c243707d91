import { codecs, makeCid } from '../identifiers/cid.ts';
import type { StatementRow } from '../ports.ts';

const digestLength = 32;

/** Rows as one buffer and one text, which are cheaper to send between threads and to write than objects. */
export interface PackedSlice {
  /** For each row the digest of its `jcs_cid`, the digest of its `rdfc_cid`, and its JCS bytes. */
  readonly bytes: Uint8Array;
  readonly rest: string;
}

interface Rest extends Pick<StatementRow, 'kind' | 'time' | 'contextSet' | 'isTrusted'> {
  readonly references: readonly (readonly [role: string, identifier: string])[];
  readonly jcsLength: number;
}

/** A row without CIDs, which are expensive to make. */
export interface UnpackedRow extends Rest {
  readonly jcsDigest: Uint8Array;
  readonly rdfcDigest: Uint8Array;
  readonly jcs: Uint8Array;
}

/** Rows that stay packed until they are iterated over. */
export class PackedRows implements Iterable<StatementRow> {
  readonly slices: readonly PackedSlice[];

  constructor(slices: readonly PackedSlice[]) {
    this.slices = slices;
  }

  static of(rows: Iterable<StatementRow>): PackedRows {
    return rows instanceof PackedRows ? rows : new PackedRows([packSlice([...rows])]);
  }

  *[Symbol.iterator](): Generator<StatementRow> {
    for (const slice of this.slices) {
      for (const { jcsDigest, rdfcDigest, references, jcsLength: _, ...row } of unpackSlice(slice)) {
        yield {
          ...row,
          jcsCid: makeCid(codecs.jcs, jcsDigest),
          rdfcCid: makeCid(codecs.rdfc, rdfcDigest),
          references: references.map(([role, identifier]) => ({ identifier, role })),
        };
      }
    }
  }
}

/** References as stores keep them. */
export function referencePairs(references: StatementRow['references']): Rest['references'] {
  return references.map(({ role, identifier }) => [role, identifier]);
}

function packSlice(rows: readonly StatementRow[]): PackedSlice {
  const bytes = new Uint8Array(rows.reduce((sum, { jcs }) => sum + 2 * digestLength + jcs.length, 0));
  let end = 0;
  for (const { jcsCid, rdfcCid, jcs } of rows) {
    for (const part of [jcsCid.digest, rdfcCid.digest, jcs]) {
      bytes.set(part, end);
      end += part.length;
    }
  }
  const rest = rows.map(
    ({ kind, time, contextSet, isTrusted, references, jcs }): Rest => ({
      kind,
      time,
      contextSet,
      isTrusted,
      references: referencePairs(references),
      jcsLength: jcs.length,
    }),
  );
  return { bytes, rest: JSON.stringify(rest) };
}

export function* unpackSlice({ bytes, rest }: PackedSlice): Generator<UnpackedRow> {
  let end = 0;
  const take = (length: number) => {
    end += length;
    return bytes.subarray(end - length, end);
  };
  for (const row of JSON.parse(rest) as Rest[])
    yield { ...row, jcsDigest: take(digestLength), rdfcDigest: take(digestLength), jcs: take(row.jcsLength) };
}
