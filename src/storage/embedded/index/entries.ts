import { hash } from 'node:crypto';

/**
 * `entries` is the index of statements by hashes: by the digests of their own ids, and by the identifiers that they
 * refer to, in which role and in statements of which kind. Only beginnings of the hashes are kept; a reader compares
 * the whole in the row. Only trusted statements answer for their ids and references outside of their graphs, so that
 * the others stand apart. The JCS digest names bytes, whoever vouches for what they mean: it is `trusted` always.
 */
export const entryColumns = ['target', 'trusted', 'role', 'kind', 'seq'] as const;
export const entryKeys = { name: 'entries', columns: entryColumns } as const;

const targetBytes = 6;

/** What stands for an identifier that is referred to. */
export function referenceTarget(identifier: string): number {
  return digestTarget(hash('sha256', identifier, 'buffer'));
}

/** What stands for a digest: hardly ever shared, and a number that JavaScript and SQLite have room for. */
export function digestTarget(digest: Uint8Array): number {
  let target = 0;
  for (let at = 0; at < targetBytes; at += 1) target = target * 256 + (digest[at] ?? 0);
  return target;
}

/** Roles that no field has: of a statement's own digests. */
export const jcsRole = 0;
export const rdfcRole = 1;
export const noKind = 0;
/** Numbers of fields and kinds, in `names`, begin here. */
export const firstName = 2;
