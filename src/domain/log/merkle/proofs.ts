import { ServiceError } from '../../errors.ts';
import { quoted, refuse } from '../proof-error.ts';
import { emptyRoot, hashSize, isSameHash, nodeHash } from './hashing.ts';
import {
  type PerfectSubtree,
  perfectSubtrees,
  type Subtree,
  stepsToLeaf,
  stepsToOldTree,
} from './subtrees.ts';
import { placeOf, subtreeHash, type TileCoordinate, widthIn } from './tiles.ts';

export interface TileReader {
  /** The first `width` hashes of each tile, one after the other. @throws ServiceError `damaged` for a missing tile. */
  tiles(coordinates: readonly TileCoordinate[]): Promise<readonly Uint8Array[]>;
}

/** The root of a tree. */
export async function rootAt(reader: TileReader, size: number): Promise<Uint8Array> {
  assertSize(size, 'size');
  if (size === 0) return emptyRoot;
  const [root = emptyRoot] = await hashesOf(reader, [{ start: 0, end: size }], size);
  return root;
}

/** The hashes beside the way from a leaf to the root, from the leaf up. @throws LogProofError `wrong_index`, `wrong_size` */
export async function inclusionProof(reader: TileReader, index: number, size: number): Promise<Uint8Array[]> {
  assertIndex(index, size);
  return await hashesOf(
    reader,
    stepsToLeaf(index, size).map(({ beside }) => beside),
    size,
  );
}

/** @throws LogProofError `wrong_size` */
export async function consistencyProof(
  reader: TileReader,
  oldSize: number,
  size: number,
): Promise<Uint8Array[]> {
  assertSizes(oldSize, size);
  if (oldSize === 0 || oldSize === size) return [];
  const { seed, steps } = stepsToOldTree(oldSize, size);
  const beside = steps.map((step) => step.beside);
  return await hashesOf(reader, seed.start > 0 ? [seed, ...beside] : beside, size);
}

/** The hashes of subtrees of the tree of a size, from one reading of all the tiles that they need. */
async function hashesOf(
  reader: TileReader,
  subtrees: readonly Subtree[],
  size: number,
): Promise<Uint8Array[]> {
  const parts = subtrees.map(perfectSubtrees);
  const wanted = new Map<string, TileCoordinate>();
  for (const { level, index } of parts.flat().map(placeOf))
    wanted.set(`${level}/${index}`, { level, index, width: widthIn(size, level, index) });
  const coordinates = [...wanted.values()];
  const tiles = coordinates.length === 0 ? [] : await reader.tiles(coordinates);
  const found = new Map(tiles.map((tile, at) => [coordinates[at], tile]));
  const hashOf = (part: PerfectSubtree) => {
    const { level, index, first, count } = placeOf(part);
    const tile = found.get(wanted.get(`${level}/${index}`)) ?? new Uint8Array();
    const hashes = tile.subarray(first * hashSize, (first + count) * hashSize);
    if (hashes.length < count * hashSize)
      throw new ServiceError(
        'damaged',
        `The tile ${level}/${index} of the tree of size ${size} is missing or too short.`,
      );
    return subtreeHash(hashes);
  };
  return parts.map((each) => each.map(hashOf).reduceRight((right, left) => nodeHash(left, right)));
}

export interface Inclusion {
  readonly index: number;
  readonly size: number;
  readonly leaf: Uint8Array;
  readonly path: readonly Uint8Array[];
  readonly root: Uint8Array;
}

/** @throws LogProofError `wrong_index`, `wrong_size`, `wrong_path`, `wrong_root` */
export function verifyInclusion({ root, ...inclusion }: Inclusion): void {
  if (!isSameHash(rootFromPath(inclusion), root))
    refuse('wrong_root', `The path from entry ${inclusion.index} does not lead to the root of the tree.`);
}

/** The root to which a path leads. @throws LogProofError `wrong_index`, `wrong_size`, `wrong_path` */
export function rootFromPath({ index, size, leaf, path }: Omit<Inclusion, 'root'>): Uint8Array {
  assertIndex(index, size);
  const steps = stepsToLeaf(index, size);
  if (leaf.length !== hashSize)
    refuse('wrong_entry', `The hash of the entry has ${leaf.length} bytes, not ${hashSize}.`);
  assertPath(path, steps.length);
  return path.reduce(
    (hash, beside, at) => (steps[at]?.side === 'left' ? nodeHash(beside, hash) : nodeHash(hash, beside)),
    leaf,
  );
}

export interface Consistency {
  readonly oldSize: number;
  readonly size: number;
  readonly oldRoot: Uint8Array;
  readonly root: Uint8Array;
  readonly path: readonly Uint8Array[];
}

/** @throws LogProofError `wrong_size`, `wrong_path`, `wrong_root` */
export function verifyConsistency({ oldSize, size, oldRoot, root, path }: Consistency): void {
  assertSizes(oldSize, size);
  if (oldSize === 0 || oldSize === size) {
    assertPath(path, 0);
    if (!isSameHash(oldRoot, oldSize === 0 ? emptyRoot : root) || (size === 0 && !isSameHash(root, oldRoot)))
      refuse('wrong_root', `Two trees of size ${oldSize} have different roots.`);
    return;
  }
  const { seed, steps } = stepsToOldTree(oldSize, size);
  if (oldRoot.length !== hashSize)
    refuse('wrong_root', `The older root has ${oldRoot.length} bytes, not ${hashSize}.`);
  assertPath(path, steps.length + (seed.start > 0 ? 1 : 0));
  const [start = oldRoot, ...rest] = seed.start > 0 ? path : [oldRoot, ...path];
  let [oldHash, hash] = [start, start];
  for (const [at, beside] of rest.entries()) {
    const isLeft = steps[at]?.side === 'left';
    if (isLeft) oldHash = nodeHash(beside, oldHash);
    hash = isLeft ? nodeHash(beside, hash) : nodeHash(hash, beside);
  }
  if (!isSameHash(oldHash, oldRoot))
    refuse('wrong_root', `The proof does not lead to the root of the older tree, of size ${oldSize}.`);
  if (!isSameHash(hash, root))
    refuse('wrong_root', `The proof does not lead to the root of the newer tree, of size ${size}.`);
}

function assertPath(hashes: readonly Uint8Array[], count: number): void {
  if (hashes.length !== count)
    refuse('wrong_path', `The proof must have ${count} hashes, but it has ${hashes.length}.`);
  const wrong = hashes.find(({ length }) => length !== hashSize);
  if (wrong !== undefined)
    refuse('wrong_path', `A hash of the proof has ${wrong.length} bytes. SHA-256 has ${hashSize}.`);
}

function assertSize(size: number, name: string): void {
  if (!Number.isSafeInteger(size) || size < 0)
    refuse(
      'wrong_size',
      `The ${name} of a tree must be a whole number up to 2^53 - 1, not ${quoted(String(size))}.`,
    );
}

function assertSizes(oldSize: number, size: number): void {
  assertSize(oldSize, 'older size');
  assertSize(size, 'size');
  if (oldSize > size) refuse('wrong_size', `A tree of size ${size} cannot extend a tree of size ${oldSize}.`);
}

function assertIndex(index: number, size: number): void {
  assertSize(size, 'size');
  if (!Number.isSafeInteger(index) || index < 0 || index >= size)
    refuse('wrong_index', `A tree of size ${size} has no entry ${index}.`);
}
