import type { z } from 'zod';
import type { Order, ReadRecords, Records } from './records.ts';
import type { TermSearch, Terms } from './term-search.ts';

type Key<Shape extends z.ZodObject> = Extract<keyof z.output<Shape>, string>;
/** A scalar member, possibly nested, such as `owner.issuer`. */
type Field<Shape extends z.ZodObject> = Key<Shape> | `${Key<Shape>}.${string}`;

/** Values that all records of a partial index have. */
export type Fixed = Readonly<Record<string, boolean>>;

interface Declaration<Shape extends z.ZodObject, Unique extends string, Index extends string> {
  /**
   * Members are JSON, and none is optional: missing values are null. Times are milliseconds since 1970. A member that records
   * of earlier versions lack has a default, with which they are read.
   */
  readonly shape: Shape;
  /** A string that identifies a record and never changes. */
  readonly key: Key<Shape>;
  /** Members that are unique together. Sets with a null are not compared. */
  readonly unique?: Readonly<Record<Unique, readonly Key<Shape>[]>>;
  /** The orders of pages. Records with equal members are ordered by their keys. */
  readonly indexes?: Readonly<Record<Index, readonly Field<Shape>[]>>;
  /** Partial indexes: each has only the records with these values, so that inserting others costs nothing. */
  readonly partial?: Readonly<Partial<Record<Index, Fixed>>>;
  /** Default: ascending. */
  readonly order?: Order;
  /** A record is removed after this time, unless it is null. */
  readonly expiry?: Key<Shape>;
  /** Migrations skip transient records. */
  readonly isTransient?: boolean;
  /** For `TermSearch`. */
  readonly terms?: Terms<z.output<Shape>>;
}

/** One kind of record, which every store implements from this declaration. */
export interface Collection<Shape extends z.ZodObject = z.ZodObject, Index extends string = string> {
  readonly name: string;
  readonly shape: Shape;
  readonly key: string;
  readonly unique: Readonly<Record<string, readonly string[]>>;
  /** Everything that a page can ask for: the declared indexes, the unique sets, `key` and `expiry`. */
  readonly indexes: Readonly<Record<Index, readonly string[]>>;
  readonly partial: Readonly<Record<string, Fixed | undefined>>;
  readonly order: Order;
  readonly expiry: string | null;
  readonly isTransient: boolean;
  readonly terms: Terms<never> | null;
  /** Of members that a record of an earlier version may lack; null if there are none. */
  readonly defaults: Readonly<Record<string, unknown>> | null;
}

/** The records of a collection: `RecordsOf<typeof users>`. */
export type RecordsOf<Declared> =
  Declared extends Collection<infer Shape, infer Index> ? Records<z.output<Shape>, Index> : never;

export interface RecordStore {
  of<Shape extends z.ZodObject, Index extends string>(
    declared: Collection<Shape, Index>,
  ): Records<z.output<Shape>, Index>;
}

/** A store that is only read. */
export interface ReadRecordStore {
  of<Shape extends z.ZodObject, Index extends string>(
    declared: Collection<Shape, Index>,
  ): ReadRecords<z.output<Shape>, Index>;
}

export interface TermStore {
  /** @param declared has terms. */
  termsOf<Shape extends z.ZodObject>(declared: Collection<Shape>): TermSearch<z.output<Shape>>;
}

export function collection<
  Shape extends z.ZodObject,
  Unique extends string = never,
  Index extends string = never,
>(
  name: string,
  declaration: Declaration<Shape, Unique, Index>,
): Collection<Shape, Unique | Index | 'key' | 'expiry'> {
  const { unique, indexes, expiry = null } = declaration;
  const implied = { key: [], expiry: expiry === null ? [] : [expiry] };
  return {
    partial: {},
    order: 'ascending',
    isTransient: false,
    terms: null,
    ...declaration,
    name,
    unique: { ...unique },
    indexes: { ...unique, ...indexes, ...implied } as Record<Unique | Index | 'key' | 'expiry', string[]>,
    expiry,
    defaults: defaultsIn(declaration.shape),
  };
}

function defaultsIn({ shape }: z.ZodObject): Readonly<Record<string, unknown>> | null {
  const found = Object.entries(shape).flatMap(([name, { _zod }]) => {
    const { def } = _zod as z.core.$ZodTypes['_zod'];
    return def.type === 'default' ? [[name, def.defaultValue] as const] : [];
  });
  return found.length === 0 ? null : Object.fromEntries(found);
}
