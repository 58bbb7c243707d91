import type { Document } from 'mongodb';
import type { Collection } from '../../../domain/collections/collection.ts';
import type { CollectionIndexes } from '../indexes.ts';

/** A record is a document whose `_id` is its key. */
export interface RecordDocument extends Document {
  readonly _id: string;
}

/** Whether a member may be null. Nested members always may. */
export function isNullable({ shape }: Pick<Collection, 'shape'>, member: string): boolean {
  const type = (shape.shape as Record<string, { safeParse(value: unknown): { success: boolean } }>)[member];
  return type?.safeParse(null).success ?? true;
}

/** Nullable members of unique sets. Null is not stored there, because a unique index would compare nulls. */
export function omittedNulls(collection: Collection): readonly string[] {
  const members = Object.values(collection.unique).flat();
  return [...new Set(members)].filter((member) => isNullable(collection, member));
}

/** The terms of a record, see `TermSearch`. */
export const termsMember = 'search_terms';

export function documentOf(collection: Collection, record: object): RecordDocument {
  const { [collection.key]: key, ...rest } = record as Record<string, unknown>;
  const omitted = omittedNulls(collection);
  const members = Object.entries(rest).filter(([name, value]) => value !== null || !omitted.includes(name));
  const terms = collection.terms && { [termsMember]: collection.terms.of(record as never) };
  return { _id: String(key), ...Object.fromEntries(members), ...terms };
}

export function recordOf(
  collection: Collection,
  { _id, [termsMember]: _, ...rest }: RecordDocument,
): Record<string, unknown> {
  const nulls = omittedNulls(collection).map((member) => [member, null]);
  return { [collection.key]: _id, ...collection.defaults, ...Object.fromEntries(nulls), ...rest };
}

export function indexesOf(collection: Collection): CollectionIndexes {
  const { name, key, unique, indexes, partial, terms } = collection;
  const omitted = new Set(omittedNulls(collection));
  const sets = Object.entries(unique).map(([index, members]) => {
    const filtered = members.filter((member) => omitted.has(member));
    return {
      name: index,
      key: ascending(members.map((member) => (member === key ? '_id' : member))),
      unique: true,
      ...(filtered.length > 0 && {
        partialFilterExpression: Object.fromEntries(filtered.map((member) => [member, { $exists: true }])),
      }),
    };
  });
  const ordered = Object.entries(indexes)
    .filter(([index, { length }]) => length > 0 && !(index in unique))
    .map(([index, members]) => ({
      name: index,
      key: ascending([...members, '_id']),
      ...(partial[index] && { partialFilterExpression: partial[index] }),
    }));
  const searched = terms
    ? [{ name: 'terms', key: { [termsMember]: 1, [terms.order]: -1, _id: -1 } as const }]
    : [];
  return { collection: name, indexes: [...sets, ...ordered, ...searched] };
}

function ascending(members: readonly string[]): Record<string, 1> {
  return Object.fromEntries(members.map((member) => [member, 1]));
}
