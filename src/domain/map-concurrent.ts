import { pMapIterable } from 'p-map';

/**
 * Runs work on what a source yields, at most `limit` at a time, and yields the results in the order of the source.
 * Work that is still running when the consumer leaves, or when something fails, is waited for.
 */
export async function* mapConcurrent<Item, Result>(
  source: Iterable<Item> | AsyncIterable<Item>,
  limit: number,
  work: (item: Item) => Promise<Result>,
): AsyncGenerator<Result> {
  const running = new Set<Promise<Result>>();
  const begin = async (item: Item) => {
    const result = work(item);
    running.add(result);
    return await result.finally(() => running.delete(result));
  };
  try {
    yield* pMapIterable(source, begin, { concurrency: limit }) as AsyncIterable<Awaited<Result>>;
  } finally {
    await Promise.allSettled(running);
  }
}
