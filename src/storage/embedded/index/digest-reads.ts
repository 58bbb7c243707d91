import type { DatabaseSync } from 'node:sqlite';
import { digestTarget, jcsRole, noKind, rdfcRole } from './entries.ts';

/** Finds statements by their own digests. */
export function digestReads(database: DatabaseSync) {
  const withJcs = database.prepare(
    `SELECT seq FROM entries JOIN statements USING (seq)
     WHERE target = ? AND entries.trusted = 1 AND role = ${jcsRole} AND entries.kind = ${noKind}
     AND jcs_digest = ?`,
  );
  const nextWithRdfc = database.prepare(
    `SELECT seq FROM entries JOIN statements USING (seq)
     WHERE target = ? AND entries.trusted = ? AND role = ${rdfcRole} AND entries.kind = ${noKind}
     AND seq > ? AND rdfc_digest = ? ORDER BY seq LIMIT 1`,
  );
  return {
    byJcs(digest: Uint8Array): number | undefined {
      return seqOf(withJcs.get(digestTarget(digest), digest));
    },

    /** The oldest form after `after`, of those that are trusted or those that are not. */
    nextForm(digest: Uint8Array, trusted: 0 | 1, after: number): number | undefined {
      return seqOf(nextWithRdfc.get(digestTarget(digest), trusted, after, digest));
    },
  };
}

function seqOf(row: Record<string, unknown> | undefined): number | undefined {
  return row && Number(row.seq);
}
