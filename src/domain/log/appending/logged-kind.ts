import { z } from 'zod';
import type { Collection } from '../../collections/collection.ts';

/**
 * A member of records that have entries in logs: whether the logs have them. A record is stored with `false`, and so is each
 * change of what its entries say. Missing in records that are older than these logs.
 */
export const isLogged = z.boolean().default(true);

/** An entry that a record has in a log. */
interface EntryOfRecord {
  readonly log: string;
  /** See `recordEntry`. It must not say what can change later. */
  readonly bytes: Uint8Array;
  /** Tells several entries of one record apart. */
  readonly edition?: string;
}

/** Records that have entries in logs. */
export interface LoggedKind {
  /** Has a partial index `unlogged` of the records that the logs lack. */
  readonly declared: Collection;
  /** The order in which older records get into the logs. */
  readonly olderBy: string;
  /** With the name of each in its log, which begins with those of the collection and the record. */
  entriesOf(record: object): readonly (EntryOfRecord & { readonly thing: string })[];
  /** Members that decide the entries and can change. */
  readonly changing: readonly string[];
  /** What changes in a record when the logs have its entries. */
  readonly logged: object;
}

interface KindOf<Item, Index> {
  entries(record: Item): readonly EntryOfRecord[];
  readonly changing?: readonly Extract<keyof Item, string>[];
  readonly logged?: Partial<Item>;
  /** Default: by key. */
  readonly olderBy?: Index;
}

export function loggedKind<Shape extends z.ZodObject, Index extends string>(
  declared: Collection<Shape, Index | 'key' | 'unlogged'>,
  { entries, changing = [], logged = {}, olderBy }: KindOf<z.output<Shape>, Index>,
): LoggedKind {
  return {
    declared: declared as unknown as Collection,
    olderBy: olderBy ?? 'key',
    changing,
    logged: { ...logged, isLogged: true },
    entriesOf: (record) => {
      const key = String((record as Record<string, unknown>)[declared.key]);
      return entries(record as z.output<Shape>).map((entry) => {
        const { edition } = entry;
        return {
          ...entry,
          thing: [thingPrefix(declared.name) + key, ...(edition ? [edition] : [])].join('/'),
        };
      });
    },
  };
}

function thingPrefix(name: string): string {
  return `${name}/`;
}

/** The key of the record whose entry has this name in its log; undefined for entries of other kinds. */
export function keyInThing({ declared: { name } }: LoggedKind, thing: string): string | undefined {
  return thing.startsWith(thingPrefix(name))
    ? thing.slice(thingPrefix(name).length).split('/', 1)[0]
    : undefined;
}
