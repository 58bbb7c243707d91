import { parse, v5 as uuidV5 } from 'uuid';
import { z } from 'zod';
import { collection, type RecordsOf } from '../../collections/collection.ts';
import { isLogged } from '../../log/appending/logged-kind.ts';

export const purposes = ['revocation', 'suspension'] as const;
export type Purpose = (typeof purposes)[number];

/** The number of entries of a list. Bitstring Status List 1.0 demands at least this many. */
export const listLength = 131_072;

/** Lists of entries with one purpose. The signed list is derived from its entries. */
export const statusLists = collection('status_lists', {
  shape: z.object({
    id: z.uuid(),
    purpose: z.enum(purposes),
    /** The public URL of the service when the list was made. */
    base: z.string(),
    /** Counts the lists of one purpose and base. The open list is the last one. */
    number: z.int().min(0),
    /** How many entries may have been allocated. Each process reserves some in advance. */
    reserved: z.int().min(0),
    /** For a suspension list: the revocation list that has the same indexes. Missing in lists of earlier versions. */
    revocations: z.uuid().optional(),
    createdAt: z.int(),
  }),
  key: 'id',
  unique: { byNumber: ['purpose', 'base', 'number'] },
  indexes: { newest: ['purpose', 'base', 'number'] },
  order: 'descending',
});

/**
 * The truth about the status of credentials: one record for each index that is allocated in a revocation list. The suspension list
 * of its revocation list has the same index for the same credential, and a record of it from the first suspension on. Earlier
 * versions allocated an index of its own for suspension, with a record.
 */
export const statusEntries = collection('status_entries', {
  shape: z.object({
    /** `<list id>/<index>`, so that an index is allocated once. */
    id: z.string(),
    listId: z.uuid(),
    index: z
      .int()
      .min(0)
      .max(listLength - 1),
    credentialId: z.string(),
    purpose: z.enum(purposes),
    /** Whether the credential is revoked or suspended. */
    status: z.boolean(),
    /** Counts the changes of `status`. */
    changes: z.int().min(0),
    /** Whether the signed list shows this status. */
    isListed: z.boolean(),
  }),
  key: 'id',
  unique: { byCredential: ['credentialId', 'purpose'] },
  indexes: { set: ['listId', 'index'], unlisted: ['listId', 'index'] },
  partial: { set: { status: true }, unlisted: { isListed: false } },
});

/** The last signed form of each list. It can be made again from the entries at any time. */
export const signedStatusLists = collection('signed_status_lists', {
  shape: z.object({
    listId: z.uuid(),
    /** Changes with every new form. */
    version: z.int().min(1),
    /** JSON of the signed BitstringStatusListCredential. */
    text: z.string(),
    isLogged,
    /** SHA-256 of earlier forms that may have no entry in the log yet. Missing in lists of earlier versions. */
    unlogged: z.array(z.base64url()).default([]),
  }),
  key: 'listId',
  indexes: { unlogged: ['listId'] },
  partial: { unlogged: { isLogged: false } },
  isTransient: true,
});

export type StatusList = Readonly<z.output<typeof statusLists.shape>>;
export type StatusEntry = Readonly<z.output<typeof statusEntries.shape>>;
export type SignedStatusList = Readonly<z.output<typeof signedStatusLists.shape>>;
export type StatusLists = RecordsOf<typeof statusLists>;
export type StatusEntries = RecordsOf<typeof statusEntries>;
export type SignedStatusLists = RecordsOf<typeof signedStatusLists>;

export function entryId(listId: string, index: number): string {
  return `${listId}/${index}`;
}

/** The suspension list that has the same indexes as a revocation list. */
export function suspensionListId(revocationListId: string): string {
  return uuidV5('suspension', parse(revocationListId));
}

/** Revocation and suspension of a credential, given its records. A suspension without a record has never been set. */
export function bothEntries(stored: readonly StatusEntry[]): readonly StatusEntry[] {
  const [first, ...more] = stored;
  if (first?.purpose === 'revocation' && more.length === 0) {
    const listId = suspensionListId(first.listId);
    return [first, unsetEntry({ ...first, listId, purpose: 'suspension' })];
  }
  return stored.toSorted((one, other) => (one.purpose < other.purpose ? -1 : 1));
}

/** An entry whose status has never been set. */
export function unsetEntry({
  listId,
  index,
  credentialId,
  purpose,
}: Pick<StatusEntry, 'listId' | 'index' | 'credentialId' | 'purpose'>): StatusEntry {
  const id = entryId(listId, index);
  return { id, listId, index, credentialId, purpose, status: false, changes: 0, isListed: true };
}

const path = '/credentials/v1/status-lists/';
const listId = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** What `statusListCredential` names. */
export function statusListUrl({ base, id }: { readonly base: string; readonly id: string }): string {
  return `${base}${path}${id}`;
}

/** The base and the list id of such a URL; undefined for any other text. */
export function parseStatusListUrl(url: string): { base: string; id: string } | undefined {
  const at = url.lastIndexOf(path);
  const id = url.slice(at + path.length);
  return at >= 0 && listId.test(id) ? { base: url.slice(0, at), id } : undefined;
}
