import { throwBadCursor } from '../../../domain/cursors.ts';
import { type Cid, codecs, makeCid } from '../../../domain/integrity/identifiers/cid.ts';
import type { StatementRow } from '../../../domain/integrity/ports.ts';
import {
  jcsText,
  type RowBytes,
  rowAt,
  rowLength,
} from '../../../domain/integrity/statements/packed-rows.ts';
import type { Reference } from '../../../domain/integrity/statements/references.ts';
import { idStartBytes, type Partition } from '../index/entries.ts';
import { assertBytes, referencesIn } from '../statements/statement-rows.ts';
import type { TermReads } from '../statements/terms.ts';

/** Many rows as two values, because a value costs more than a row to read, and to send between threads. */
export interface RowPage {
  /** As in a `PackedSlice`. */
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

function* rowsIn({ bytes, rest }: RowPage): Generator<readonly [RestOfRow, RowBytes]> {
  let start = 0;
  for (const row of JSON.parse(rest) as RestOfRow[]) {
    const [, jcsLength] = row;
    yield [row, rowAt(bytes, start, jcsLength)];
    start += rowLength(jcsLength);
  }
}

/** The numbers of its rows. @throws ServiceError `damaged` unless the bytes of each hash to their digest. */
export function verifiedNumbers(page: RowPage, partition: Partition): Set<number> {
  const numbers = new Set<number>();
  for (const [[seq], { jcs, jcsDigest }] of rowsIn(page)) {
    assertBytes(jcs, jcsDigest, `row ${seq} of ${partition}_rows`);
    numbers.add(seq);
  }
  return numbers;
}

/** The rows of pages by their numbers. */
export function rowsOf(pages: readonly RowPage[], partition: Partition, terms: TermReads) {
  const rows = pages.flatMap((page) => [...rowsIn(page)]);
  return new Map(rows.map(([rest, bytes]) => [rest[0], new PageRow(bytes, rest, partition, terms)]));
}

/** A row of a page. Properties that exports rarely use are computed on access. */
class PageRow implements StatementRow {
  readonly rdfcCid: Cid;
  readonly jcs: Uint8Array;
  readonly kind: string;
  readonly time: number | null;
  readonly contextSet: string;
  readonly isTrusted: boolean;
  readonly #jcsDigest: Uint8Array;
  readonly #rest: RestOfRow;

  constructor(bytes: RowBytes, rest: RestOfRow, partition: Partition, terms: TermReads) {
    const [, , kind, contextSet, time] = rest;
    this.rdfcCid = makeCid(codecs.rdfc, bytes.rdfcDigest);
    this.jcs = bytes.jcs;
    this.kind = terms.term(kind);
    this.time = time;
    this.contextSet = terms.term(contextSet);
    this.isTrusted = partition === 'verified';
    this.#jcsDigest = bytes.jcsDigest;
    this.#rest = rest;
  }

  get jcsCid(): Cid {
    return makeCid(codecs.jcs, this.#jcsDigest);
  }

  get references(): Reference[] {
    const [seq, , , , , refs] = this.#rest;
    return referencesIn({ seq, refs }, jcsText(this.jcs));
  }
}

const startDigits = 2 * idStartBytes;
const seqDigits = 14;
const isMark = new RegExp(`^[0-9a-f]{${startDigits + seqDigits}}$`);

/** A mark of `OrderedRows` in SQL: the start of the digest, and the row number. */
export const markColumn = `lower(hex(id_start)) || format('%0${seqDigits}x', seq)`;

/** @throws ServiceError `invalid_request` for any other text. */
export function readMark(mark: string): { readonly start: string; readonly seq: number } {
  if (!isMark.test(mark)) throwBadCursor();
  return { start: mark.slice(0, startDigits), seq: Number.parseInt(mark.slice(startDigits), 16) };
}
