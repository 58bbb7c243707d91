import { z } from 'zod';
import { collection, type RecordsOf } from '../../collections/collection.ts';

/**
 * When evidence that has no time of its own was imported first. The statements that are derived from it have this time, so a
 * repeat gives the same statements.
 */
export const evidenceImports = collection('evidence_imports', {
  shape: z.object({
    /** See `evidenceImportId`. */
    id: z.string().min(1),
    importedAt: z.int(),
  }),
  key: 'id',
});

export type EvidenceImports = RecordsOf<typeof evidenceImports>;

export function evidenceImportId(blob: string, registeredBy: string): string {
  return JSON.stringify([blob, registeredBy]);
}
