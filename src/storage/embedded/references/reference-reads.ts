import type { DatabaseSync } from 'node:sqlite';
import type { Place } from '../../../domain/integrity/ports.ts';
import { firstName, noKind } from '../index/entries.ts';
import { nameReads } from '../index/names.ts';
import { type Postings, union } from '../index/postings.ts';

/** One part of the references to a target: from one place. */
export interface ReferenceGroup extends Place {
  readonly trusted: 0 | 1;
}

export interface ReferenceEntry extends ReferenceGroup {
  readonly seq: number;
}

/** Reads of the references among the entries. */
export function referenceReads(reader: DatabaseSync) {
  const names = nameReads(reader);
  /**
   * Leaps over a group. Without the `seq` SQLite would step through all of its entries; were it not among the columns,
   * SQLite would not merge the orders of the levels, and sort all that follows.
   */
  const nextGroup = reader.prepare(
    `SELECT role, kind, seq FROM entries
     WHERE target = ? AND trusted = ? AND (role, kind, seq) > (?, ?, ${Number.MAX_SAFE_INTEGER})
     ORDER BY role, kind, seq LIMIT 1`,
  );
  const newest = reader.prepare(
    `SELECT seq FROM entries WHERE target = ? AND trusted = ? AND role = ? AND kind = ? AND seq < ?
     ORDER BY seq DESC LIMIT 1`,
  );
  const some = reader.prepare(
    `SELECT trusted, role, kind, seq FROM entries
     WHERE target = ? AND trusted >= ? AND role >= ${firstName} LIMIT ?`,
  );

  function* groupsOf(target: number, trusted: 0 | 1, role?: number): Generator<ReferenceGroup> {
    const next = (after: readonly [number, number]) => nextGroup.get(target, trusted, ...after);
    let found = next([role ?? firstName, noKind]);
    while (found && (role === undefined || found.role === role)) {
      const place = [Number(found.role), Number(found.kind)] as const;
      yield { trusted, role: names.nameOf(place[0]), kind: names.nameOf(place[1]) };
      found = next(place);
    }
  }

  /** Undefined where a name is nowhere in the index. */
  function numbersOf({ role, kind }: Place): [number, number] | undefined {
    const [ofRole, ofKind] = [names.numberOf(role), names.numberOf(kind)];
    return ofRole === undefined || ofKind === undefined ? undefined : [ofRole, ofKind];
  }

  return {
    numbersOf,

    placeOf([role, kind]: readonly [number, number]): Place {
      return { role: names.nameOf(role), kind: names.nameOf(kind) };
    },

    /** The groups of a target, in an order of the index's own. */
    *groups(target: number, trusted: readonly (0 | 1)[], role?: string): Generator<ReferenceGroup> {
      const number = role === undefined ? undefined : names.numberOf(role);
      if (role !== undefined && number === undefined) return;
      for (const value of trusted) yield* groupsOf(target, value, number);
    },

    postings(target: number, group: ReferenceGroup): Postings {
      const numbers = numbersOf(group);
      if (!numbers) return union([]);
      return {
        below(seq) {
          const found = newest.get(target, group.trusted, ...numbers, seq);
          return found && Number(found.seq);
        },
      };
    },

    has(target: number, group: ReferenceGroup): boolean {
      const numbers = numbersOf(group);
      return (
        numbers !== undefined &&
        newest.get(target, group.trusted, ...numbers, Number.MAX_SAFE_INTEGER) !== undefined
      );
    },

    /** All entries of a target when they are fewer than `limit`. */
    few(target: number, trusted: readonly (0 | 1)[], limit: number): ReferenceEntry[] | undefined {
      const found = some.all(target, trusted.includes(0) ? 0 : 1, limit);
      if (found.length === limit) return undefined;
      return found.map(({ trusted: value, role, kind, seq }) => ({
        trusted: value as 0 | 1,
        role: names.nameOf(Number(role)),
        kind: names.nameOf(Number(kind)),
        seq: Number(seq),
      }));
    },
  };
}

export type ReferenceReads = ReturnType<typeof referenceReads>;
