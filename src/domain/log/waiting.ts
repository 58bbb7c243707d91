/** How often somebody who waits for a checkpoint looks for it. */
const lookAgainMs = 100;

/** Repeats `look` until it finds something or the signal is aborted. @returns what it found last. */
export async function awaited<Found>(
  look: () => Promise<Found>,
  isEnough: (found: Found) => boolean,
  signal: AbortSignal,
): Promise<Found> {
  for (;;) {
    const found = await look();
    if (signal.aborted || isEnough(found)) return found;
    await new Promise<void>((resume) => {
      const timer = setTimeout(done, lookAgainMs);
      function done() {
        clearTimeout(timer);
        signal.removeEventListener('abort', done);
        resume();
      }
      signal.addEventListener('abort', done);
    });
  }
}
