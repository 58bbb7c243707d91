import { setFlagsFromString } from 'node:v8';

/** By how much a heap grows beyond what is in use before V8 collects what is not. */
const growth = 30;

/**
 * Keeps the heaps of the process and its threads near to what is in use. Statements pass through in large numbers; by
 * itself V8 would rather let them gather, up to several times of what is needed.
 */
export function keepHeapsSmall(): void {
  setFlagsFromString(`--heap-growing-percent=${growth}`);
}
