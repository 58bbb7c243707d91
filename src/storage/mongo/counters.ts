import type { Collection } from 'mongodb';
import type { Database } from './database.ts';
import { isDuplicate } from './errors.ts';

interface CounterDocument {
  readonly _id: string;
  readonly last: number;
}

/** What the numbers of graphs are counted by. */
export const graphCounter = 'graphs';

export function counterCollection(database: Database): Collection<CounterDocument> {
  return database.collection<CounterDocument>('counters');
}

/** Takes `count` numbers that follow each other and that nobody else gets, and answers the first. The first of all is 1. */
export async function takeNumbers(database: Database, name: string, count = 1): Promise<number> {
  const counters = counterCollection(database);
  for (;;) {
    const counter = await counters.findOneAndUpdate(
      { _id: name },
      { $inc: { last: count } },
      { returnDocument: 'after' },
    );
    if (counter) return counter.last - count + 1;
    await counters.insertOne({ _id: name, last: 0 }).catch((error: unknown) => {
      if (!isDuplicate(error)) throw error;
    });
  }
}
