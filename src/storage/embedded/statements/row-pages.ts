import type { DatabaseSync } from 'node:sqlite';
import { codecs, makeCid } from '../../../domain/integrity/identifiers/cid.ts';
import type { StatementRow } from '../../../domain/integrity/ports.ts';
import { jcsText } from '../../../domain/integrity/statements/packed-references.ts';
import type { Sort } from '../index/entries.ts';
import { demandBytes, digestBytes, referencesIn } from './statement-rows.ts';
import type { TermReads } from './terms.ts';

/** Larger rows are not in a page. */
const mostBytes = 1 << 16;

/** Cast, because JSON cannot hold the blobs of a damaged row. */
const rest = `CAST(kind AS INTEGER), CAST(context_set AS INTEGER), CAST(time AS INTEGER), CAST(refs AS TEXT)`;

type Rest = readonly [
  seq: number,
  length: number,
  kind: number,
  contextSet: number,
  time: number | null,
  refs: string,
];

/**
 * Reads many rows as one value, because a value costs more than a row. Leaves out large rows and those with digests of
 * another length. Rarely used properties are computed on access.
 */
export function pagesBySeq(reader: DatabaseSync, sort: Sort, terms: TermReads) {
  const statement = reader.prepare(
    `SELECT CAST(group_concat(jcs_digest || rdfc_digest || jcs, '') AS BLOB) AS bytes,
       json_group_array(json_array(seq, length(jcs), ${rest})) AS rest
     FROM json_each(?) AS wanted CROSS JOIN ${sort}_rows AS rows ON rows.seq = wanted.value
     WHERE length(jcs_digest) = ${digestBytes} AND length(rdfc_digest) = ${digestBytes} AND length(jcs) <= ${mostBytes}`,
  );

  return (seqs: readonly number[]): Map<number, StatementRow> => {
    const page = statement.get(JSON.stringify(seqs));
    const bytes = page?.bytes as Uint8Array;
    const rows = new Map<number, StatementRow>();
    let end = 0;
    for (const [seq, length, kind, contextSet, time, refs] of JSON.parse(String(page?.rest)) as Rest[]) {
      const [jcsDigest, rdfcDigest] = [next(digestBytes), next(digestBytes)];
      const jcs = next(length);
      demandBytes(jcs, jcsDigest, `row ${seq} of ${sort}_rows`);
      rows.set(seq, {
        get jcsCid() {
          return makeCid(codecs.jcs, jcsDigest);
        },
        rdfcCid: makeCid(codecs.rdfc, rdfcDigest),
        get references() {
          return referencesIn({ seq, refs }, jcsText(jcs));
        },
        jcs,
        kind: terms.term(kind),
        time,
        contextSet: terms.term(contextSet),
        isTrusted: sort === 'verified',
      });
    }
    return rows;

    function next(length: number): Uint8Array {
      const start = end;
      end += length;
      return bytes.subarray(start, end);
    }
  };
}
