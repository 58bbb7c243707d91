import { setImmediate } from 'node:timers/promises';

const sliceMs = 4;

/**
 * For reads that go on and on: lets other work of this thread have its turn whenever a slice of time is used up.
 * All reads of a connection share one, as calls that follow each other at once hold the thread together.
 */
export class TimeSlices {
  #startedAt = performance.now();

  /** To be awaited between steps that are short by themselves. */
  async step(): Promise<void> {
    if (performance.now() - this.#startedAt < sliceMs) return;
    await setImmediate();
    this.#startedAt = performance.now();
  }
}
