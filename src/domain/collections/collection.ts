import type { z } from 'zod';
import type { Records } from './records.ts';

type Key<Shape extends z.ZodObject> = Extract<keyof z.output<Shape>, string>;
/** A member, or a member of a member such as `owner.issuer`. It holds a scalar. */
type Field<Shape extends z.ZodObject> = Key<Shape> | `${Key<Shape>}.${string}`;

interface Declaration<Shape extends z.ZodObject, Unique extends string, Index extends string> {
  /** Members are JSON. None is optional: what may be absent is null. Times are milliseconds since 1970. */
  readonly shape: Shape;
  /** A string that names a record and never changes. */
  readonly key: Key<Shape>;
  /** Members that no two records share. A set with a null in it is not compared. */
  readonly unique?: Readonly<Record<Unique, readonly Key<Shape>[]>>;
  /** What pages can be asked for. The key orders records that agree in all members of an index. */
  readonly indexes?: Readonly<Record<Index, readonly Field<Shape>[]>>;
  /** Of all pages; ascending unless said otherwise. */
  readonly order?: 'ascending' | 'descending';
  /** The time after which a record is removed, if it is not null. */
  readonly expiry?: Key<Shape>;
  /** Whether a migration leaves these records behind. */
  readonly isTransient?: boolean;
}

/** A noun as records: one declaration, which every store implements. */
export interface Collection<Shape extends z.ZodObject = z.ZodObject, Index extends string = string> {
  readonly name: string;
  readonly shape: Shape;
  readonly key: string;
  readonly unique: Readonly<Record<string, readonly string[]>>;
  /** All that a page can be asked for: the declared indexes, the unique sets, `key` and `expiry`. */
  readonly indexes: Readonly<Record<Index, readonly string[]>>;
  readonly order: 'ascending' | 'descending';
  readonly expiry: string | null;
  readonly isTransient: boolean;
}

/** The records of a collection: `RecordsOf<typeof users>`. */
export type RecordsOf<Declared> =
  Declared extends Collection<infer Shape, infer Index> ? Records<z.output<Shape>, Index> : never;

/** A store, as far as it has records. */
export interface RecordStore {
  of<Shape extends z.ZodObject, Index extends string>(
    declared: Collection<Shape, Index>,
  ): Records<z.output<Shape>, Index>;
}

export function collection<
  Shape extends z.ZodObject,
  Unique extends string = never,
  Index extends string = never,
>(
  name: string,
  declaration: Declaration<Shape, Unique, Index>,
): Collection<Shape, Unique | Index | 'key' | 'expiry'> {
  const {
    shape,
    key,
    unique,
    indexes,
    order = 'ascending',
    expiry = null,
    isTransient = false,
  } = declaration;
  const implied = { key: [], expiry: expiry === null ? [] : [expiry] };
  return {
    name,
    shape,
    key,
    unique: { ...unique },
    indexes: { ...unique, ...indexes, ...implied } as Record<Unique | Index | 'key' | 'expiry', string[]>,
    order,
    expiry,
    isTransient,
  };
}
