import { z } from 'zod';
import { collection, type RecordsOf } from '../../collections/collection.ts';
import type { TermSearch } from '../../collections/term-search.ts';
import { cidIn, codecs, isStatementCid } from '../identifiers/cid.ts';
import { blake3Digest } from '../identifiers/hashing.ts';
import { entryTerms, foldedText } from './terms.ts';

/** The groups that the index has. Agents are not in it. */
export const indexedGroups = ['artefacts', 'computations', 'people', 'graphs'] as const;
export type IndexedGroup = (typeof indexedGroups)[number];

/**
 * A text under which a thing is found: once for readers of everything, and once for each project in which something
 * says so. So a search reads only what its reader may see. It follows from names and graphs, so migrations make it again.
 */
export const searchEntries = collection('search_entries', {
  shape: z.object({
    /** See `entryId`. */
    id: z.string().min(1),
    /** Null: for readers of everything. */
    project: z.string().min(1).nullable(),
    group: z.enum(indexedGroups),
    /** As in references: `urn:cid:…`, `urn:uuid:…` or a DID. */
    subject: z.string().min(1),
    /** See `foldedText`. */
    folded: z.string().min(1),
    /** The `jcs_cid` of a statement that says so; null for graphs. */
    statement: z.string().min(1).nullable(),
    /** The position of that statement, or the microseconds when the graph was indexed. */
    order: z.int(),
    /** The record of the file in a folder whose path this is. */
    member: z.string().min(1).optional(),
  }),
  key: 'id',
  terms: { of: entryTerms, order: 'order' },
  isTransient: true,
});

export type SearchEntries = RecordsOf<typeof searchEntries>;
export type SearchEntry = Readonly<z.output<typeof searchEntries.shape>>;
export type SearchTerms = TermSearch<SearchEntry>;

export function groupOf(subject: string): IndexedGroup {
  if (subject.startsWith('did:')) return 'people';
  const cid = cidIn(subject);
  return cid && isStatementCid(cid, codecs.rdfc) ? 'computations' : 'artefacts';
}

type Found = Pick<SearchEntry, 'subject' | 'group' | 'statement' | 'order' | 'member'>;

/** The entries of a text for everybody who may see one of these projects. */
export function entriesFor(found: Found, text: string, projects: readonly string[]): SearchEntry[] {
  return [null, ...new Set(projects)].flatMap((project) => entryIn(project, found, text) ?? []);
}

/** @returns undefined for a text without a character. */
export function entryIn(project: string | null, found: Found, text: string): SearchEntry | undefined {
  const folded = foldedText(text);
  if (folded === '') return undefined;
  const { subject, group, statement, order, member } = found;
  const id = entryId(project, subject, folded);
  return { id, project, group, subject, folded, statement, order, ...(member !== undefined && { member }) };
}

const idBytes = 16;

function entryId(project: string | null, subject: string, folded: string): string {
  const digest = blake3Digest(JSON.stringify([project, subject, folded]));
  return Buffer.from(digest).subarray(0, idBytes).toString('base64url');
}
