/**
 * Runs work on what a source yields, up to `limit` at a time, and yields the results in the order of the source.
 * What is still running when the consumer leaves, or when something fails, is waited for.
 */
export async function* ahead<Item, Result>(
  source: AsyncIterable<Item>,
  limit: number,
  work: (item: Item) => Promise<Result>,
): AsyncGenerator<Result> {
  const running: Promise<Result>[] = [];
  try {
    for await (const item of source) {
      const result = work(item);
      result.catch(() => undefined);
      running.push(result);
      if (running.length < limit) continue;
      yield await (running.shift() as Promise<Result>);
    }
    for (let next = running.shift(); next; next = running.shift()) yield await next;
  } finally {
    await Promise.allSettled(running);
  }
}
