import type { DatabaseSync } from 'node:sqlite';
import { codecs, makeCid } from '../../../domain/integrity/identifiers/cid.ts';
import type { DerivedProblem } from '../../../domain/maintenance/contents.ts';
import type { Partition } from '../index/entries.ts';

type RowKey = readonly [partition: Partition, seq: number];

interface Duplicate {
  readonly jcsDigest: Uint8Array;
  /** Verified rows first, then oldest first. */
  readonly places: readonly RowKey[];
}

/**
 * Rows that hold the same bytes. The thread that writes asks the entries whether a row is there, so a damaged entry
 * makes a duplicate. SQLite sorts all digests, on disk if they are many.
 */
function* duplicates(database: DatabaseSync): Generator<Duplicate> {
  const repeated = database.prepare(
    `SELECT jcs_digest, json_group_array(json_array(partition, seq) ORDER BY partition DESC, seq) AS places FROM (
       SELECT jcs_digest, 'verified' AS partition, seq FROM verified_rows
       UNION ALL SELECT jcs_digest, 'unverified', seq FROM unverified_rows
     ) GROUP BY jcs_digest HAVING count(*) > 1`,
  );
  for (const { jcs_digest, places } of repeated.all()) {
    const duplicate = { jcsDigest: jcs_digest as Uint8Array, places: JSON.parse(String(places)) as RowKey[] };
    // Rows with other bytes are damaged themselves.
    const bytes = duplicate.places.map(([partition, seq]) => {
      const row = database.prepare(`SELECT jcs FROM ${partition}_rows WHERE seq = ?`).get(seq);
      return Buffer.from(row?.jcs as Uint8Array);
    });
    if (bytes.every((each) => bytes[0]?.equals(each))) yield duplicate;
  }
}

export function* duplicateProblems(database: DatabaseSync): Generator<DerivedProblem> {
  for (const { jcsDigest, places } of duplicates(database)) {
    const numbers = places.map(([partition, seq]) => `${seq} (${partition})`).join(', ');
    const problem = `It is stored more than once, under the numbers ${numbers}`;
    yield { kind: 'duplicate', id: makeCid(codecs.jcs, jcsDigest).text, problem };
  }
}

/** Keeps the first of rows with the same bytes, in the graphs of all. What leads to the others is left behind. */
export function mergeDuplicates(database: DatabaseSync): void {
  for (const { places } of [...duplicates(database)]) {
    const [kept] = places;
    for (const place of places.slice(1)) if (kept) merge(database, kept, place);
  }
}

function merge(database: DatabaseSync, [kept, into]: RowKey, [partition, seq]: RowKey): void {
  const end = `(SELECT coalesce(max(position) + 1, 0) FROM ${kept}_graphs WHERE seq = ?1)`;
  const join = database.prepare(
    `INSERT OR IGNORE INTO ${kept}_graphs (seq, position, graph)
     SELECT ?1, position + ${end}, graph FROM ${partition}_graphs WHERE seq = ?2`,
  );
  join.run(into, seq);
  database.prepare(`DELETE FROM ${partition}_rows WHERE seq = ?`).run(seq);
}
