import { z } from 'zod';
import { collection, type RecordsOf } from '../../collections/collection.ts';
import { isInOwnContext } from '../contexts/own.ts';
import { cidUrn } from '../identifiers/cid.ts';
import type { StatementRow } from '../ports.ts';
import { foldedName } from './name.ts';

/**
 * The name that a stored MetadataRegistration gives its subject, once its document is stored. A DID is named by itself
 * only: once its signature is stored, too. It follows from these, so migrations make it again.
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
    /** Minus the position of the statement in the order of storing. */
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
  /** Whose signature it needs. */
  readonly needed: { readonly statement: string; readonly signer: string } | null;
}

/**
 * Undefined for statements of other kinds, and for those in which somebody names the DID of somebody else. Of several
 * subjects or documents, the first counts.
 */
export function namingOf(row: StatementRow): Naming | undefined {
  if (row.kind !== namingKind) return undefined;
  const [subject, document, registrant] = ['subject', 'metadata', 'registeredBy'].map(
    (role) => row.references.find((reference) => reference.role === role)?.identifier,
  );
  if (subject === undefined || document === undefined) return undefined;
  const isActor = subject.startsWith('did:');
  if (isActor && !(registrant === subject && row.isTrusted && isInOwnContext(row))) return undefined;
  const needed = isActor ? { statement: cidUrn(row.rdfcCid), signer: subject } : null;
  return { id: row.jcsCid.text, subject, document, needed };
}

export const namingKind = 'MetadataRegistration';

/** @param position of the statement, see `WholeStatement`. */
export function nameRecord({ id, subject }: Naming, name: string, position: number): NameRecord {
  return { id, subject, name, folded: foldedName(name), newestFirst: 0 - position };
}
