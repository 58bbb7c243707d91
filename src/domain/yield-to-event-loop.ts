const sliceMs = 4;

let startedAt = performance.now();
const waiting: (() => void)[] = [];

/**
 * For work that goes on and on, to be awaited between steps that are short by themselves: lets other work of this
 * thread have its turn whenever a slice of time is used up. Whatever waits here goes on one after the other, a
 * slice each, so that much of it at once holds the thread no longer than one alone.
 */
export async function yieldToEventLoop(): Promise<void> {
  if (performance.now() - startedAt < sliceMs) return;
  const turn = Promise.withResolvers<void>();
  waiting.push(turn.resolve);
  if (waiting.length === 1) setImmediate(nextTurn);
  await turn.promise;
}

function nextTurn(): void {
  startedAt = performance.now();
  waiting.shift()?.();
  if (waiting.length > 0) setImmediate(nextTurn);
}
