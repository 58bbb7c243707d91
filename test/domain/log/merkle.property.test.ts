import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { emptyRoot, leafHash, nodeHash } from '../../../src/domain/log/merkle/hashing.ts';
import {
  consistencyProof,
  inclusionProof,
  rootAt,
  verifyConsistency,
  verifyInclusion,
} from '../../../src/domain/log/merkle/proofs.ts';
import { MerkleRange, rootOf } from '../../../src/domain/log/merkle/range.ts';
import {
  edgeOf,
  growTiles,
  parseTilePath,
  rootOfEdge,
  tilePath,
  tilesOf,
} from '../../../src/domain/log/merkle/tiles.ts';
import { LogProofError } from '../../../src/domain/log/proof-error.ts';
import { MemoryLog } from '../../builders/service-log.ts';
import { isThorough, runs } from '../../property-runs.ts';

/** The definitions of RFC 6962, section 2.1, word by word. */
const model = {
  root(leaves: readonly Uint8Array[]): Uint8Array {
    const [first = emptyRoot] = leaves;
    if (leaves.length < 2) return first;
    const middle = model.split(leaves.length);
    return nodeHash(model.root(leaves.slice(0, middle)), model.root(leaves.slice(middle)));
  },
  split(size: number): number {
    let middle = 1;
    while (middle * 2 < size) middle *= 2;
    return middle;
  },
};

const leaves = Array.from({ length: 70_000 }, (_, index) => leafHash(Buffer.from(`entry ${index}`)));
/** All small sizes, and those around full tiles. */
const sizes = Array.from({ length: 300 }, (_, index) => index + 1).filter(
  (size) => size <= (isThorough ? 130 : 40) || [255, 256, 257, 300].includes(size),
);

function isRefused(verify: () => void): boolean {
  try {
    verify();
    return false;
  } catch (error) {
    return error instanceof LogProofError;
  }
}

const whole = new MemoryLog().grow(leaves);
const contentsOf = ({ tilesByKey }: MemoryLog) =>
  new Map([...tilesByKey].map(([name, { hashes }]) => [name, Buffer.from(hashes).toString('hex')]));

describe('a tree', () => {
  test('has the root of RFC 6962 at every size, from tiles, leaf by leaf, and from its partial tiles', async () => {
    const range = new MerkleRange();
    const grown = new MemoryLog();
    for (let size = 0; size <= 600; size += 1) {
      const root = model.root(leaves.slice(0, size));
      expect(await rootAt(whole, size), `size ${size}`).toEqual(root);
      expect(range.root(), `size ${size}`).toEqual(root);
      expect(rootOfEdge(size, grown.edge), `size ${size}`).toEqual(root);
      const leaf = leaves[size] ?? emptyRoot;
      range.append(leaf);
      grown.grow([leaf]);
    }
    expect(await rootAt(whole, leaves.length)).toEqual(rootOf(leaves));
  });

  test('proves every entry of every size, and no other entry', async () => {
    for (const size of sizes) {
      const root = await rootAt(whole, size);
      for (let index = 0; index < size; index += 1) {
        const path = await inclusionProof(whole, index, size);
        const leaf = leaves[index] ?? emptyRoot;
        verifyInclusion({ index, size, leaf, path, root });
        expect(isRefused(() => verifyInclusion({ index: index + 1, size, leaf, path, root }))).toBe(true);
        const other = leaves[index + 1] ?? emptyRoot;
        expect(isRefused(() => verifyInclusion({ index, size, leaf: other, path, root }))).toBe(true);
      }
    }
  });

  test('proves that it extends every smaller tree', async () => {
    for (const size of [0, ...sizes]) {
      const root = rootOf(leaves.slice(0, size));
      for (let oldSize = 0; oldSize <= size; oldSize += 1) {
        const oldRoot = rootOf(leaves.slice(0, oldSize));
        const path = await consistencyProof(whole, oldSize, size);
        verifyConsistency({ oldSize, size, oldRoot, root, path });
        if (oldSize > 0)
          expect(isRefused(() => verifyConsistency({ oldSize, size, oldRoot: emptyRoot, root, path }))).toBe(
            true,
          );
      }
    }
  });

  test('proves the same over three levels of tiles', async () => {
    const property = fc.asyncProperty(
      fc.nat({ max: leaves.length - 1 }),
      fc.integer({ min: 1, max: leaves.length }),
      async (some, size) => {
        const index = some % size;
        const [root, oldRoot] = [await rootAt(whole, size), await rootAt(whole, index)];
        const path = await inclusionProof(whole, index, size);
        verifyInclusion({ index, size, leaf: leaves[index] ?? emptyRoot, path, root });
        const extension = await consistencyProof(whole, index, size);
        verifyConsistency({ oldSize: index, size, oldRoot, root, path: extension });
      },
    );
    await fc.assert(property, { numRuns: runs(500) });
  });

  test('is the same after any steps of growth as if it had grown in one', async () => {
    const steps = fc.array(fc.oneof(fc.nat({ max: 5 }), fc.nat({ max: 700 })), { maxLength: 12 });
    const property = fc.asyncProperty(steps, async (counts) => {
      const tree = new MemoryLog();
      for (const count of counts) tree.grow(leaves.slice(tree.size, tree.size + count));
      const atOnce = new MemoryLog().grow(leaves.slice(0, tree.size));
      expect(contentsOf(tree)).toEqual(contentsOf(atOnce));
      expect(tree.edge).toEqual(atOnce.edge);
      expect(rootOfEdge(tree.size, tree.edge)).toEqual(await rootAt(whole, tree.size));
    });
    await fc.assert(property, { numRuns: runs(200) });
  });

  test('grows from tiles that somebody has already made wider', () => {
    const edge = new MemoryLog().grow(leaves.slice(0, 250)).edge;
    const { tiles } = growTiles(100, edge, leaves.slice(100, 300));
    expect(tiles).toEqual(growTiles(0, [], leaves.slice(0, 300)).tiles);
  });

  test('does not grow without one of its partial tiles', () => {
    const { edge } = new MemoryLog().grow(leaves.slice(0, 300));
    expect(() => growTiles(300, edge.slice(1), leaves.slice(300, 301))).toThrow('0/001.p/44');
  });

  test('has the tiles of tlog-tiles at every size, of every partial width', () => {
    const tree = new MemoryLog().grow(leaves);
    expect([...tilesOf(70_000)].filter(({ width }) => width < 256)).toEqual(edgeOf(70_000));
    expect(edgeOf(70_000)).toEqual([
      { level: 0, index: 273, width: 112 },
      { level: 1, index: 1, width: 17 },
      { level: 2, index: 0, width: 1 },
    ]);
    expect(edgeOf(256)).toEqual([{ level: 1, index: 0, width: 1 }]);
    expect([...tilesOf(0)]).toEqual([]);
    for (const size of [1, 2, 255, 256, 257, 511, 512, 65_535, 65_536, 65_537, 70_000])
      for (const { level, index, width } of tilesOf(size)) {
        const span = 256 ** level;
        expect((index * 256 + width) * span).toBeLessThanOrEqual(size);
        expect(tree.tilesByKey.get(`${level}/${index}`)?.hashes.length).toBeGreaterThanOrEqual(width * 32);
      }
  });
});

describe('sizes and indexes of somebody else', () => {
  const path = Array.from({ length: 52 }, () => emptyRoot);
  test.each([
    ['an index of the size', { index: 5, size: 5 }, 'wrong_index'],
    ['an index beyond 2^53', { index: 2 ** 53, size: 2 ** 53 + 2 }, 'wrong_size'],
    ['a negative index', { index: -1, size: 5 }, 'wrong_index'],
    ['half an index', { index: 0.5, size: 5 }, 'wrong_index'],
    ['no number', { index: Number.NaN, size: 5 }, 'wrong_index'],
    ['the largest tree', { index: 2 ** 53 - 2, size: 2 ** 53 - 1 }, 'wrong_root'],
  ])('%s', (_, { index, size }, fault) => {
    const proof = { index, size, leaf: emptyRoot, root: leafHash(emptyRoot), path };
    expect(() => verifyInclusion(proof)).toThrow(expect.objectContaining({ code: 'invalid_proof', fault }));
  });
});

describe('the path of a tile', () => {
  test('is what tlog-tiles says', () => {
    expect(tilePath({ level: 0, index: 1_234_067, width: 12 })).toBe('0/x001/x234/067.p/12');
    expect(tilePath({ level: 63, index: 0, width: 256 })).toBe('63/000');
    expect(tilePath({ level: 'entries', index: 999, width: 255 })).toBe('entries/999.p/255');
  });

  test('is read as it was written', () => {
    const name = fc.record({
      level: fc.oneof(fc.nat({ max: 63 }), fc.constant('entries' as const)),
      index: fc.maxSafeNat(),
      width: fc.integer({ min: 1, max: 256 }),
    });
    fc.assert(fc.property(name, (each) => void expect(parseTilePath(tilePath(each))).toEqual(each)));
  });

  test.each([
    '',
    '0',
    '0/',
    '0/67',
    '0/0067',
    '00/067',
    '64/067',
    '-1/067',
    '0/x000/067',
    '0/001/067',
    '0/x001',
    '0/067.p/0',
    '0/067.p/256',
    '0/067.p/07',
    '0/067.p/',
    '0/067/',
    '0/067.p/1/2',
    'leaves/067',
    '0/x009/x007/x199/x254/x740/992',
    `0/${'x001/'.repeat(1_000)}001`,
    '0/٠٦٧',
    '0/067\n',
  ])('%j is refused', (path) => {
    expect(() => parseTilePath(path)).toThrow(expect.objectContaining({ fault: 'malformed' }));
  });
});
