import { type Cid, codecs, makeCid } from '../../../domain/integrity/identifiers/cid.ts';
import type { StatementRow } from '../../../domain/integrity/ports.ts';
import { jcsText } from '../../../domain/integrity/statements/packed-references.ts';
import type { Reference } from '../../../domain/integrity/statements/references.ts';
import type { Partition } from '../index/entries.ts';
import { assertBytes, digestBytes, referencesIn } from '../statements/statement-rows.ts';
import type { TermReads } from '../statements/terms.ts';

/** Many rows as two values, because a value costs more than a row to read, and to send between threads. */
export interface RowPage {
  /** For each row the digest of its `jcs_cid`, the digest of its `rdfc_cid`, and its JCS bytes. */
  readonly bytes: Uint8Array;
  /** JSON of `RestOfRow[]`. */
  readonly rest: string;
}

type RestOfRow = readonly [
  seq: number,
  jcsLength: number,
  kind: number,
  contextSet: number,
  time: number | null,
  refs: string,
];

const headBytes = 2 * digestBytes;

function* slicesOf({ bytes, rest }: RowPage) {
  let start = 0;
  for (const row of JSON.parse(rest) as RestOfRow[]) {
    const [, jcsLength] = row;
    const end = start + headBytes + jcsLength;
    yield { row, bytes: bytes.subarray(start, end) };
    start = end;
  }
}

/** The numbers of its rows. @throws ServiceError `damaged` unless the bytes of each hash to their digest. */
export function verifiedNumbers(page: RowPage, partition: Partition): Set<number> {
  const numbers = new Set<number>();
  for (const { row, bytes } of slicesOf(page)) {
    const [seq] = row;
    assertBytes(bytes.subarray(headBytes), bytes.subarray(0, digestBytes), `row ${seq} of ${partition}_rows`);
    numbers.add(seq);
  }
  return numbers;
}

/** The rows of pages by their numbers. */
export function rowsOf(
  pages: readonly RowPage[],
  partition: Partition,
  terms: TermReads,
): Map<number, StatementRow> {
  const rows = new Map<number, StatementRow>();
  for (const page of pages)
    for (const { row, bytes } of slicesOf(page)) rows.set(row[0], new PageRow(bytes, row, partition, terms));
  return rows;
}

/** A row of a page. Properties that exports rarely use are computed on access. */
class PageRow implements StatementRow {
  readonly rdfcCid: Cid;
  readonly jcs: Uint8Array;
  readonly kind: string;
  readonly time: number | null;
  readonly contextSet: string;
  readonly isTrusted: boolean;
  readonly #bytes: Uint8Array;
  readonly #rest: RestOfRow;

  constructor(bytes: Uint8Array, rest: RestOfRow, partition: Partition, terms: TermReads) {
    const [, , kind, contextSet, time] = rest;
    this.rdfcCid = makeCid(codecs.rdfc, bytes.subarray(digestBytes, headBytes));
    this.jcs = bytes.subarray(headBytes);
    this.kind = terms.term(kind);
    this.time = time;
    this.contextSet = terms.term(contextSet);
    this.isTrusted = partition === 'verified';
    this.#bytes = bytes;
    this.#rest = rest;
  }

  get jcsCid(): Cid {
    return makeCid(codecs.jcs, this.#bytes.subarray(0, digestBytes));
  }

  get references(): Reference[] {
    const [seq, , , , , refs] = this.#rest;
    return referencesIn({ seq, refs }, jcsText(this.jcs));
  }
}
