/** The leaves from `start` to `end`: all under one node of a tree (RFC 6962, section 2.1). */
export interface Subtree {
  readonly start: number;
  readonly end: number;
}

/** A subtree whose number of leaves is 2^height. */
export interface PerfectSubtree {
  readonly height: number;
  readonly index: number;
}

const wordBits = 32;

/** How many bits a safe integer has: 0 for 0. Bitwise operators would cut it to 32. */
function bitLength(value: number): number {
  const high = Math.floor(value / 2 ** wordBits);
  return high > 0 ? 2 * wordBits - Math.clz32(high) : wordBits - Math.clz32(value);
}

/** The number of leaves on the left of a tree: the largest power of two that is smaller than its size. */
function leftSize(size: number): number {
  return 2 ** (bitLength(size - 1) - 1);
}

/** The perfect subtrees of a subtree, from left to right. */
export function perfectSubtrees({ start, end }: Subtree): PerfectSubtree[] {
  const found: PerfectSubtree[] = [];
  for (let at = start; at < end; ) {
    const height = bitLength(end - at) - 1;
    found.push({ height, index: at / 2 ** height });
    at += 2 ** height;
  }
  return found;
}

/** A step of a path from a leaf to the root: the subtree beside, and on which side it is. */
export interface Step {
  readonly side: 'left' | 'right';
  readonly beside: Subtree;
}

/** The steps of an inclusion proof, from the leaf up (RFC 6962, section 2.1.1). */
export function stepsToLeaf(index: number, size: number): Step[] {
  return stepsTo(index, size, ({ start, end }) => end - start <= 1).steps;
}

/**
 * The steps of a consistency proof (RFC 6962, section 2.1.2) from `seed` up, which is the last perfect subtree of the old tree.
 * A step to the left belongs to both trees, one to the right only to the new tree.
 */
export function stepsToOldTree(oldSize: number, size: number): { seed: Subtree; steps: Step[] } {
  return stepsTo(oldSize - 1, size, ({ end }) => end <= oldSize);
}

/** The steps from the first subtree with this leaf that is a seed, from the root down, back up to the root. */
function stepsTo(
  leaf: number,
  size: number,
  isSeed: (subtree: Subtree) => boolean,
): { seed: Subtree; steps: Step[] } {
  const steps: Step[] = [];
  let seed: Subtree = { start: 0, end: size };
  while (!isSeed(seed)) {
    const { start, end } = seed;
    const middle = start + leftSize(end - start);
    const [left, right] = [
      { start, end: middle },
      { start: middle, end },
    ];
    const isLeft = leaf < middle;
    steps.push(isLeft ? { side: 'right', beside: right } : { side: 'left', beside: left });
    seed = isLeft ? left : right;
  }
  return { seed, steps: steps.reverse() };
}
