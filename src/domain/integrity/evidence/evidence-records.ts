import { z } from 'zod';
import { collection, type RecordsOf } from '../../collections/collection.ts';
import type { ReadFile } from './read-file.ts';

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

type EvidenceImports = RecordsOf<typeof evidenceImports>;

function evidenceImportId(blob: string, registeredBy: string): string {
  return JSON.stringify([blob, registeredBy]);
}

export interface FirstImports {
  readonly evidenceImports: Pick<EvidenceImports, 'insert' | 'among'>;
  readonly now: () => Date;
}

/** When evidence without a time of its own was imported first. */
export async function timesOf(
  { evidenceImports, now }: FirstImports,
  files: readonly ReadFile[],
  registeredBy: string,
): Promise<(Date | undefined)[]> {
  const without = files.filter(({ evidence }) => evidence.some(({ time }) => time === undefined));
  const importedAt = now().getTime();
  const records = without.map(({ blob }) => ({ id: evidenceImportId(blob.text, registeredBy), importedAt }));
  if (records.length === 0) return [];
  await evidenceImports.insert(records);
  const found = await evidenceImports.among(
    'key',
    records.map(({ id }) => id),
    1,
  );
  const times = new Map(
    without.map((file, at) => [file, new Date(found[at]?.[0]?.importedAt ?? importedAt)]),
  );
  return files.map((file) => times.get(file));
}
