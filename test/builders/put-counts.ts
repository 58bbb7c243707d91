import type { PutCounts } from '../../src/domain/integrity/ports.ts';

/** Counts of a write that are 0 unless given. */
export function counted(some: Partial<PutCounts>): PutCounts {
  return { stored: 0, joined: 0, known: 0, ...some };
}

/** The counts of several writes together. */
export function totalOf(all: readonly PutCounts[]): PutCounts {
  const total = { stored: 0, joined: 0, known: 0 };
  for (const { stored, joined, known } of all) {
    total.stored += stored;
    total.joined += joined;
    total.known += known;
  }
  return total;
}
