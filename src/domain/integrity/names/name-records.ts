import { z } from 'zod';
import { collection, type RecordsOf } from '../../collections/collection.ts';
import type { StatementRow } from '../ports.ts';
import { foldedName } from './name.ts';

/**
 * The name that each stored MetadataRegistration gives its subject, once its document is stored. It follows from the
 * statement and the document, so migrations make it again.
 */
export const nameRecords = collection('names', {
  shape: z.object({
    /** The `jcs_cid` of the statement. */
    id: z.string().min(1),
    /** As in references: `urn:cid:…`, `urn:uuid:…` or a DID. */
    subject: z.string().min(1),
    name: z.string().min(1),
    /** See `foldedName`. */
    folded: z.string().min(1),
    /** Minus the time of the statement, so that the newest comes first. */
    newestFirst: z.int(),
  }),
  key: 'id',
  indexes: { bySubject: ['subject', 'newestFirst'], byName: ['folded', 'newestFirst'] },
  isTransient: true,
});

export type NameRecords = RecordsOf<typeof nameRecords>;
export type NameRecord = Readonly<NonNullable<Awaited<ReturnType<NameRecords['get']>>>>;

/** The parts of a MetadataRegistration that a name needs. */
export interface Naming {
  /** The `jcs_cid`. */
  readonly id: string;
  readonly subject: string;
  /** The identifier of the document. */
  readonly document: string;
  readonly time: number | null;
}

/** Undefined for statements of other kinds. Of several subjects or documents, the first counts. */
export function namingOf(
  row: Pick<StatementRow, 'jcsCid' | 'kind' | 'references' | 'time'>,
): Naming | undefined {
  if (row.kind !== namingKind) return undefined;
  const [subject, document] = ['subject', 'metadata'].map(
    (role) => row.references.find((reference) => reference.role === role)?.identifier,
  );
  if (subject === undefined || document === undefined) return undefined;
  return { id: row.jcsCid.text, subject, document, time: row.time };
}

export const namingKind = 'MetadataRegistration';

export function nameRecord({ id, subject, time }: Naming, name: string): NameRecord {
  return { id, subject, name, folded: foldedName(name), newestFirst: 0 - (time ?? 0) };
}
