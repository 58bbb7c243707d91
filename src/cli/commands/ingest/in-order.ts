/**
 * Does work on items as they come, several at a time, and hands over the results in the order of the items.
 * After a failure nothing new is begun; what came before it is still handed over.
 * @param signal when it fires, no item is taken any more, and what runs is waited for.
 */
export async function inOrder<Item, Result>(
  items: AsyncIterable<Item>,
  limit: number,
  signal: AbortSignal,
  work: (item: Item) => Promise<Result>,
  done: (item: Item, result: Result) => void,
): Promise<void> {
  const running: { item: Item; outcome: Promise<{ result: Result } | { error: unknown }> }[] = [];
  let hasFailed = false;
  const first = async () => {
    const { item, outcome } = running.shift() as (typeof running)[number];
    const settled = await outcome;
    hasFailed = 'error' in settled;
    if ('error' in settled) throw settled.error;
    done(item, settled.result);
  };
  try {
    for await (const item of items) {
      if (signal.aborted) break;
      const outcome = work(item).then(
        (result) => ({ result }),
        (error: unknown) => ({ error }),
      );
      running.push({ item, outcome });
      if (running.length >= limit) await first();
    }
  } catch (error) {
    // Reading fails when it is told to stop; what follows a failure of the work must not be handed over.
    if (hasFailed || !signal.aborted) {
      await Promise.all(running.map(({ outcome }) => outcome));
      throw error;
    }
  }
  while (running.length > 0) await first();
}
