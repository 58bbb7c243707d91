import type { DatabaseSync } from 'node:sqlite';
import { recordTerms } from '../../../domain/collections/record-terms.ts';

/** SQLite calls this for each record that is stored in a collection with terms. */
export function defineTerms(database: DatabaseSync): void {
  const byName = new Map(Object.entries(recordTerms));
  database.function('record_terms', { deterministic: true }, (name, record) => {
    const terms = byName.get(String(name));
    try {
      return terms?.(JSON.parse(String(record))).join(' ') ?? '';
    } catch {
      // A damaged record is found by its key only.
      return '';
    }
  });
}
