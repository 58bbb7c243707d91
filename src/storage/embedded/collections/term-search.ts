import type { DatabaseSync } from 'node:sqlite';
import type { Collection } from '../../../domain/collections/collection.ts';
import type { TermGroup, TermSearch, TermSet } from '../../../domain/collections/term-search.ts';
import { throwBadCursor } from '../../../domain/cursors.ts';
import { Remembered } from '../../remembered.ts';
import { boundLimit } from '../bound-limit.ts';
import { quoted, termTable } from './tables.ts';

export function embeddedTermSearch<Item>(
  reader: DatabaseSync,
  { name, terms }: Collection,
): TermSearch<Item> {
  if (!terms) throw new TypeError(`The collection ${name} has no terms.`);
  const [table, index] = [quoted(name), quoted(termTable(name))];
  const densityOf = densities(reader, index);
  const last = Number.MAX_SAFE_INTEGER;
  const marks = (sets: readonly TermSet[], before: number, limit: number) =>
    reader
      .prepare(
        `SELECT rowid AS mark FROM ${index} WHERE ${index} MATCH ? AND rowid < ? ORDER BY rowid DESC ${boundLimit}`,
      )
      .all(sets.map(oneOf).join(' AND '), before, limit)
      .map(({ mark }) => Number(mark));
  const read = (wanted: readonly number[]) =>
    reader
      .prepare(
        `SELECT position AS mark, record FROM json_each(?) AS wanted CROSS JOIN ${table} ON position = wanted.value ORDER BY position DESC`,
      )
      .all(JSON.stringify(wanted))
      .map(({ mark, record }) => ({ record: JSON.parse(String(record)) as Item, mark: String(mark) }));
  return {
    async matching(groups, { after, limit, isExact = false }) {
      const before = after === null ? last : Number(after);
      if (!Number.isSafeInteger(before)) throwBadCursor();
      const found = marks(rarestSets(groups, densityOf, isExact ? Infinity : setsAsked), before, limit + 1);
      return { found: read(found.slice(0, limit)), isLast: found.length <= limit };
    },
    async few(groups, most) {
      const found = marks(rarestSets(groups, densityOf, setsAsked), last, most + 1);
      return found.length > most ? undefined : read(found);
    },
  };
}

function oneOf(set: TermSet): string {
  return `(${set.map((term) => `"${term}"`).join(' OR ')})`;
}

/** More sets take longer than the records take that lack them. */
const setsAsked = 6;

/**
 * The rarest set of each group, and then the next ones, the rarest first. The index reads the first set, and looks into the others
 * for what it finds.
 */
function rarestSets(
  groups: readonly TermGroup[],
  densityOf: (set: TermSet) => number,
  most: number,
): TermSet[] {
  const known = groups.map((group) =>
    group.map((set) => ({ set, density: densityOf(set) })).toSorted(byDensity),
  );
  const longest = Math.max(...groups.map(({ length }) => length));
  const turns = Array.from({ length: longest }, (_, at) => known.flatMap((sets) => sets[at] ?? []));
  const chosen = turns.flatMap((sets) => sets.toSorted(byDensity)).slice(0, most);
  return chosen.toSorted(byDensity).map(({ set }) => set);
}

interface Dense {
  readonly density: number;
}

function byDensity(one: Dense, other: Dense): number {
  return one.density - other.density;
}

/** So many of the newest rows with a term tell how many there are. */
const rowsLooked = 32;
/** Estimates which share of the rows has a term of a set. */
function densities(reader: DatabaseSync, index: string): (set: TermSet) => number {
  const known = new Remembered<number>();
  const newest = `SELECT rowid FROM ${index} WHERE ${index} MATCH ? ORDER BY rowid DESC LIMIT ${rowsLooked}`;
  return (set) => {
    const match = oneOf(set);
    const found = known.get(match);
    if (found !== undefined) return found;
    const rows = reader.prepare(newest).all(match);
    const span = Number(rows[0]?.rowid) - Number(rows.at(-1)?.rowid);
    const density = rows.length < rowsLooked ? 0 : rowsLooked / span;
    known.set(match, density);
    return density;
  };
}
