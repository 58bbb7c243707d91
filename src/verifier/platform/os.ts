// What the threads use of node:os.

export function availableParallelism(): number {
  return navigator.hardwareConcurrency;
}
