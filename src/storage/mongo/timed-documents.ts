import type { Collection, Document, Filter, WithId } from 'mongodb';
import { readTimeCursor, writeTimeCursor } from '../time-cursors.ts';
import { translated } from './errors.ts';

interface Order {
  /** The field with the time, in milliseconds since 1970. */
  readonly time: string;
  readonly order: 'oldest first' | 'newest first';
}

export interface TimedQuestion {
  /** What fields have to be; null stands for whatever it is. */
  readonly wanted: Readonly<Record<string, string | boolean | null>>;
  /** Milliseconds since 1970; `from` includes its moment, `until` does not. */
  readonly from: number | null;
  readonly until: number | null;
}

/** A page of a collection by time, and within a millisecond by `_id`, a UUID. */
export async function timedPage<Content extends Document & { readonly _id: string }>(
  collection: Collection<Content>,
  { time, order }: Order,
  question: TimedQuestion,
  { after, limit }: { readonly after: string | null; readonly limit: number },
): Promise<{ readonly documents: readonly WithId<Content>[]; readonly next?: string }> {
  const about = [collection.collectionName, question];
  const { wanted, from, until } = question;
  const [direction, reaching, beyond] = order === 'newest first' ? [-1, '$lte', '$lt'] : [1, '$gte', '$gt'];
  const place = after === null ? null : readTimeCursor(after, about);
  const conditions: Document[] = [
    Object.fromEntries(Object.entries(wanted).filter(([, value]) => value !== null)),
    ...(from === null ? [] : [{ [time]: { $gte: from } }]),
    ...(until === null ? [] : [{ [time]: { $lt: until } }]),
    ...(place === null ? [] : [{ [time]: { [reaching]: place.at } }]),
    ...(place === null
      ? []
      : [{ $or: [{ [time]: { [beyond]: place.at } }, { _id: { [beyond]: place.id } }] }]),
  ];
  const found = await translated(() =>
    collection
      .find({ $and: conditions } as Filter<Content>)
      .sort({ [time]: direction, _id: direction } as Record<string, 1 | -1>)
      .limit(limit + 1)
      .toArray(),
  );
  const documents = found.slice(0, limit);
  const last = documents.at(-1);
  if (!last || found.length <= limit) return { documents };
  return { documents, next: writeTimeCursor({ at: Number(last[time]), id: String(last._id) }, about) };
}
