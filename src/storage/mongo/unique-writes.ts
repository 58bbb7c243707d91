import { type Collection, type Document, MongoBulkWriteError, type OptionalUnlessRequiredId } from 'mongodb';
import { isDeadlock } from './errors.ts';

/** The last running write of each key in this process. */
const turns = new Map<string, Promise<unknown>>();

/**
 * Runs a write that a unique index accepts only once. Writes with the same key run one after the other in this process,
 * because servers that lock what they check would let them deadlock.
 * @param key undefined for a write that no unique index refuses.
 */
export async function writeUnique<Result>(
  key: string | undefined,
  write: () => Promise<Result>,
): Promise<Result> {
  if (key === undefined) return await repeatingDeadlocks(write);
  const before = turns.get(key)?.catch(() => {}) ?? Promise.resolve();
  const turn = before.then(() => repeatingDeadlocks(write));
  turns.set(key, turn);
  try {
    return await turn;
  } finally {
    if (turns.get(key) === turn) turns.delete(key);
  }
}

const deadlocksRetried = 20;

export async function repeatingDeadlocks<Result>(write: () => Promise<Result>): Promise<Result> {
  for (let left = deadlocksRetried; ; left -= 1) {
    try {
      return await write();
    } catch (error) {
      if (!isDeadlock(error) || left === 0) throw error;
    }
  }
}

/** @returns the errors of the documents that were not stored, by index. */
export async function insertUnordered<Item extends Document>(
  collection: Collection<Item>,
  documents: readonly OptionalUnlessRequiredId<Item>[],
): Promise<ReadonlyMap<number, unknown>> {
  try {
    await collection.insertMany([...documents], { ordered: false });
    return new Map();
  } catch (error) {
    if (error instanceof MongoBulkWriteError && !error.result.getWriteConcernError())
      return new Map([error.writeErrors].flat().map((one) => [one.index, one]));
    if (isDeadlock(error)) return new Map(documents.map((_, index) => [index, error]));
    throw error;
  }
}
