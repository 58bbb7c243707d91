import type { DatabaseSync } from 'node:sqlite';
import type { Cid } from '../../../domain/integrity/identifiers/cid.ts';
import type { StatementStore } from '../../../domain/integrity/ports.ts';
import { PackedRows } from '../../../domain/integrity/statements/packed-rows.ts';
import type { Database } from '../database.ts';
import { digestTarget, hasJcs } from '../index/entries.ts';

export function embeddedStatements(database: Database): Pick<StatementStore, 'putMany' | 'registrarOf'> {
  const registrars = registrarReads(database.reader);
  return {
    async putMany(given, graphId, registrar = null) {
      const { slices } = PackedRows.of(given);
      return await database.writes.run('putStatements', { graphId, slices, registrar });
    },
    registrarOf: async (jcsCid) => registrars.of(jcsCid),
  };
}

/** Who stored a row. Null for rows of older versions, of imports, and of the service itself. */
export function registrarReads(reader: DatabaseSync) {
  const bySeq = reader.prepare(
    'SELECT last, registrar FROM registrars WHERE first <= ? ORDER BY first DESC LIMIT 1',
  );
  const seqOf = reader.prepare(`SELECT seq FROM verified_rows WHERE ${hasJcs('verified')}`);
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
