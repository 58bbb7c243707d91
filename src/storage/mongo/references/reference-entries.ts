import { hash } from 'node:crypto';
import type { Place } from '../../../domain/integrity/ports.ts';
import type { Reference } from '../../../domain/integrity/statements/references.ts';

/** Names of fields and kinds that stand as they are. Others stand as their hashes: a statement could repeat a very long one in every reference. */
const plainName = /^[^#\t][^\t]{0,119}$/;

/**
 * How a statement says what it refers to, and is found by it: identifier, field and kind with tabs in between. The
 * entries of untrusted statements begin with a mark, so that they stand apart in the index.
 */
export function referenceEntry({ identifier, role }: Reference, kind: string, isTrusted: boolean): string {
  return `${entriesOf(identifier, isTrusted)}${shortName(role)}\t${shortName(kind)}`;
}

/** What all entries of an identifier begin with, or those of them that have it in one field. */
export function entriesOf(identifier: string, isTrusted: boolean, role?: string): string {
  const start = `${isTrusted ? '' : '?'}${identifier}\t`;
  return role === undefined ? start : `${start}${shortName(role)}\t`;
}

/** The places of entries that begin alike, in the order of the index: all that are greater than `start`, up to this. */
export function endOfEntries(start: string): string {
  return `${start.slice(0, -1)}\n`;
}

/** A match of all entries that begin so, which an index serves. */
export function beginningWith(start: string): RegExp {
  return new RegExp(`^${start.replace(/[\\^$.|?*+()[\]{}]/g, '\\$&')}`);
}

export function entryOfPlace(identifier: string, { role, kind }: Place, isTrusted: boolean): string {
  return referenceEntry({ identifier, role }, kind, isTrusted);
}

/** The fields whose names stand as their hashes. */
export function hashedRoles(references: readonly Reference[]): string[] {
  return [...new Set(references.map(({ role }) => role).filter((role) => !plainName.test(role)))];
}

/** Reads entries back. @param roles those whose names stand as their hashes. */
export function referencesIn(
  entries: readonly string[],
  { kind, isTrusted }: { readonly kind: string; readonly isTrusted: boolean },
  roles: readonly string[] = [],
): Reference[] {
  const byHash = new Map(roles.map((role) => [shortName(role), role]));
  const start = isTrusted ? 0 : 1;
  const end = -(shortName(kind).length + 1);
  return entries.map((entry) => {
    const tab = entry.indexOf('\t');
    const role = entry.slice(tab + 1, end);
    return { identifier: entry.slice(start, tab), role: byHash.get(role) ?? role };
  });
}

function shortName(name: string): string {
  return plainName.test(name) ? name : `#${hash('sha256', name, 'base64url')}`;
}
