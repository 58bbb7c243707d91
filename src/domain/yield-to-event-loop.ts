const sliceMs = 4;

let startedAt = performance.now();
const waiting: (() => void)[] = [];

/**
 * Await this between the short steps of long work. It yields to the event loop when a time slice is used up. Waiting
 * calls continue one after the other, one slice each, so many of them block the thread no longer than one.
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
