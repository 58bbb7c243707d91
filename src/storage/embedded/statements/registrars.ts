import type { DatabaseSync } from 'node:sqlite';
import type { Cid } from '../../../domain/integrity/identifiers/cid.ts';
import { digestTarget, jcsPlace } from '../index/entries.ts';

/**
 * Who stored the verified rows, as ranges of their numbers. The new rows of a write have numbers in sequence, and writes of
 * one registrar share a range, so ingestion changes one row of this table at most.
 */
export const registrarsTable =
  'CREATE TABLE IF NOT EXISTS registrars (first INTEGER PRIMARY KEY, last INTEGER NOT NULL, registrar TEXT NOT NULL) STRICT';

export function registrarWrites(database: DatabaseSync) {
  const extend = database.prepare(
    `UPDATE registrars SET last = ?2 WHERE first = (SELECT max(first) FROM registrars) AND last = ?1 - 1 AND registrar = ?3`,
  );
  const insert = database.prepare('INSERT OR REPLACE INTO registrars VALUES (?, ?, ?)');
  return {
    add(first: number, last: number, registrar: string): void {
      if (extend.run(first, last, registrar).changes === 0) insert.run(first, last, registrar);
    },
  };
}

/** Null for rows of older versions, of imports, and of the service itself. */
export function registrarReads(reader: DatabaseSync) {
  const bySeq = reader.prepare(
    'SELECT last, registrar FROM registrars WHERE first <= ? ORDER BY first DESC LIMIT 1',
  );
  const seqOf = reader.prepare(
    `SELECT seq FROM verified_rows WHERE jcs_digest = ?1
     AND seq IN (SELECT seq FROM verified_entries WHERE target = ?2 AND place = ${jcsPlace})`,
  );
  const ofRow = (seq: number): string | null => {
    const range = bySeq.get(seq);
    return range && Number(range.last) >= seq ? String(range.registrar) : null;
  };
  return {
    ofRow,
    of({ digest }: Cid): string | null {
      const row = seqOf.get(digest, digestTarget(digest));
      return row ? ofRow(Number(row.seq)) : null;
    },
  };
}
