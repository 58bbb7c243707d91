const sliceMs = 4;
/** The event loop had nothing else to do in a shorter turn. */
const emptyTurnMs = 0.1;

let startedAt = performance.now();
/** When the current turn of other work began, and how much time long work still owes it. */
let turnAt = startedAt;
let owedMs = 0;
const waiting: (() => void)[] = [];

/**
 * Await this between the short steps of long work. It yields to the event loop when a time slice is used up, until other
 * work has had as much time or has nothing to do. Waiting calls continue one after the other, one slice each, so all of them
 * together take no more than half of the thread from others.
 */
export async function yieldToEventLoop(): Promise<void> {
  const now = performance.now();
  const usedMs = now - startedAt;
  if (usedMs < sliceMs) return;
  turnAt = now;
  // Longer ones are mostly the time since the last long work.
  owedMs = Math.min(usedMs, 2 * sliceMs);
  const turn = Promise.withResolvers<void>();
  waiting.push(turn.resolve);
  if (waiting.length === 1) setImmediate(nextTurn);
  await turn.promise;
}

function nextTurn(): void {
  const now = performance.now();
  const turnMs = now - turnAt;
  turnAt = now;
  owedMs -= turnMs;
  if (owedMs > 0 && turnMs > emptyTurnMs) {
    setImmediate(nextTurn);
    return;
  }
  startedAt = now;
  waiting.shift()?.();
  if (waiting.length > 0) setImmediate(nextTurn);
}
