import type { DatabaseSync } from 'node:sqlite';
import type { Place } from '../../domain/integrity/ports.ts';
import type { Postings } from './postings.ts';

/** One part of the reference index: what refers to a target from one place. */
export interface ReferenceGroup extends Place {
  readonly trusted: 0 | 1;
}

export interface ReferenceEntry extends ReferenceGroup {
  readonly seq: number;
}

/** Reads of the reference index. */
export function referenceReads(reader: DatabaseSync) {
  const nextGroup = reader.prepare(
    `SELECT role, kind FROM reference_index WHERE target = ? AND trusted = ? AND (role, kind) > (?, ?)
     ORDER BY role, kind LIMIT 1`,
  );
  const newest = reader.prepare(
    `SELECT seq FROM reference_index WHERE target = ? AND trusted = ? AND role = ? AND kind = ? AND seq < ?
     ORDER BY seq DESC LIMIT 1`,
  );
  const some = reader.prepare(
    'SELECT trusted, role, kind, seq FROM reference_index WHERE target = ? AND trusted >= ? LIMIT ?',
  );
  return {
    /** The groups of a target, after one of them. */
    *groups(target: Uint8Array, trusted: readonly (0 | 1)[], role?: string): Generator<ReferenceGroup> {
      for (const value of trusted) {
        const first = role === undefined ? ['', ''] : [role, ''];
        let found = nextGroup.get(target, value, ...first);
        for (; found; found = nextGroup.get(target, value, String(found.role), String(found.kind))) {
          if (role !== undefined && found.role !== role) break;
          yield { trusted: value, role: String(found.role), kind: String(found.kind) };
        }
      }
    },

    postings(target: Uint8Array, { trusted, role, kind }: ReferenceGroup): Postings {
      return {
        below(seq) {
          const found = newest.get(target, trusted, role, kind, seq);
          return found && Number(found.seq);
        },
      };
    },

    has(target: Uint8Array, { trusted, role, kind }: ReferenceGroup): boolean {
      return newest.get(target, trusted, role, kind, Number.MAX_SAFE_INTEGER) !== undefined;
    },

    /** All entries of a target when they are fewer than `limit`. */
    few(target: Uint8Array, trusted: readonly (0 | 1)[], limit: number): ReferenceEntry[] | undefined {
      const found = some.all(target, trusted.includes(0) ? 0 : 1, limit);
      if (found.length === limit) return undefined;
      return found as unknown as ReferenceEntry[];
    },
  };
}

export type ReferenceReads = ReturnType<typeof referenceReads>;
