import type { DatabaseSync } from 'node:sqlite';
import type { UnpackedRow } from '../statements/statement-slices.ts';
import { digestTarget, entryKeys, jcsRole, noKind, rdfcRole, referenceTarget } from './entries.ts';
import { type LevelSizes, levelWrites } from './levels.ts';
import { nameWrites } from './names.ts';

type Said = Pick<UnpackedRow, 'rdfcDigest' | 'kind' | 'references'>;

/** Writes of the entries under which statements are found. */
export function entryWrites(database: DatabaseSync, sizes: LevelSizes) {
  const levels = levelWrites(database, { ...entryKeys, sizes });
  const names = nameWrites(database);

  /** Calls for each entry of what a statement says. */
  function each(
    { rdfcDigest, kind, references }: Said,
    call: (target: number, role: number, kind: number) => void,
  ): void {
    call(digestTarget(rdfcDigest), rdfcRole, noKind);
    const kindNumber = names.numberOf(kind);
    for (const [role, identifier] of JSON.parse(references) as [string, string][])
      call(referenceTarget(identifier), names.numberOf(role), kindNumber);
  }

  return {
    begin(): void {
      levels.begin();
      names.begin();
    },

    /** For a statement that is new. */
    addJcs(digest: Uint8Array, seq: number): void {
      levels.add(digestTarget(digest), 1, jcsRole, noKind, seq);
    },

    removeJcs(digest: Uint8Array, seq: number): void {
      levels.remove(digestTarget(digest), 1, jcsRole, noKind, seq);
    },

    add(said: Said, trusted: 0 | 1, seq: number): void {
      each(said, (target, role, kind) => levels.add(target, trusted, role, kind, seq));
    },

    remove(said: Said, trusted: 0 | 1, seq: number): void {
      each(said, (target, role, kind) => levels.remove(target, trusted, role, kind, seq));
    },

    settle: levels.settle,
  };
}
