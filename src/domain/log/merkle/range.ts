import { emptyRoot, nodeHash } from './hashing.ts';

/** The perfect subtrees of a growing tree: enough to know its root at every size, without its leaves. */
export class MerkleRange {
  #size: number;
  readonly #hashes: Uint8Array[];

  /** @param hashes as `hashes` had them at this size. */
  constructor(size = 0, hashes: readonly Uint8Array[] = []) {
    this.#size = size;
    this.#hashes = [...hashes];
  }

  /** Hashes of perfect subtrees, the largest first. */
  get hashes(): readonly Uint8Array[] {
    return this.#hashes;
  }

  get size(): number {
    return this.#size;
  }

  append(leaf: Uint8Array): void {
    let hash = leaf;
    // Each set bit at the end of the size is a perfect subtree that the leaf completes.
    for (let rest = this.#size; rest % 2 === 1; rest = (rest - 1) / 2)
      hash = nodeHash(this.#hashes.pop() ?? emptyRoot, hash);
    this.#hashes.push(hash);
    this.#size += 1;
  }

  root(): Uint8Array {
    return this.#size === 0 ? emptyRoot : this.#hashes.reduceRight((right, left) => nodeHash(left, right));
  }
}

/** The root of a tree from all its leaves. */
export function rootOf(leafHashes: Iterable<Uint8Array>): Uint8Array {
  const range = new MerkleRange();
  for (const leaf of leafHashes) range.append(leaf);
  return range.root();
}
