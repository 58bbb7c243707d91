import type { DatabaseSync } from 'node:sqlite';
import { LRUCache } from 'lru-cache';
import { damagedDatabase } from '../errors.ts';

// The cache takes its memory at once.
const kept = 1_000;

/** Kinds and context sets by their numbers. A term never gets another number. */
export function termReads(reader: DatabaseSync) {
  const byId = reader.prepare('SELECT term FROM terms WHERE id = ?');
  const byTerm = reader.prepare('SELECT id FROM terms WHERE term = ?');
  const known = new LRUCache<number, string>({ max: kept });

  function find(id: number): string | undefined {
    let term = known.get(id);
    if (term !== undefined) return term;
    term = byId.get(id)?.term as string | undefined;
    if (term !== undefined) known.set(id, term);
    return term;
  }

  return {
    find,

    /** @throws ServiceError `damaged` for an unknown number. */
    term(id: number): string {
      const term = find(id);
      if (term === undefined) throw damagedDatabase(`the term ${id} of a row is missing`);
      return term;
    },

    number(term: string): number | undefined {
      const row = byTerm.get(term);
      return row && Number(row.id);
    },
  };
}

export type TermReads = ReturnType<typeof termReads>;

/** Numbers terms, new ones too. */
export function termWrites(writer: DatabaseSync): (term: string) => number {
  const { number } = termReads(writer);
  const insert = writer.prepare('INSERT INTO terms (term) VALUES (?)');
  return (term) => number(term) ?? Number(insert.run(term).lastInsertRowid);
}
