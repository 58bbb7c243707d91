import type { RecordStore } from '../domain/collections/collection.ts';
import { evidenceImports } from '../domain/integrity/evidence/evidence-records.ts';
import { lineageRuns, lineageUses } from '../domain/integrity/evidence/openlineage/run-records.ts';
import { KeyedTurns } from '../domain/keyed-turns.ts';

/** What the import of evidence remembers. */
export function evidencePorts(store: RecordStore) {
  return {
    evidenceImports: store.of(evidenceImports),
    lineageRuns: store.of(lineageRuns),
    lineageUses: store.of(lineageUses),
    lineageTurns: new KeyedTurns(),
  };
}
