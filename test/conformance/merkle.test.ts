import { expect, test } from 'vitest';
import { verifyConsistency, verifyInclusion } from '../../src/domain/log/merkle/proofs.ts';
import { LogProofError } from '../../src/domain/log/proof-error.ts';
import { describeTestData, listTestData, readTestJson } from '../test-data.ts';

/** github.com/transparency-dev/merkle, testdata: each proof is valid, or has one fault. */
const folder = ['conformance', 'tlog', 'merkle'];

interface InclusionVector {
  readonly leafIdx: number;
  readonly treeSize: number;
  readonly root: string;
  readonly leafHash: string;
  readonly proof: readonly string[] | null;
  readonly wantErr: boolean;
}

interface ConsistencyVector {
  readonly size1: number;
  readonly size2: number;
  readonly root1: string;
  readonly root2: string;
  readonly proof: readonly string[] | null;
  readonly wantErr: boolean;
}

const bytes = (text: string) => Buffer.from(text, 'base64');

function* vectorsOf<Vector>(...path: string[]): Generator<[string, Vector]> {
  for (const name of listTestData(...folder, ...path))
    if (name.endsWith('.json')) yield [[...path, name].join('/'), readTestJson(...folder, ...path, name)];
    else yield* vectorsOf<Vector>(...path, name);
}

function faultOf(verify: () => void): string {
  try {
    verify();
    return 'none';
  } catch (error) {
    if (error instanceof LogProofError) return error.fault;
    throw error;
  }
}

const bitsOf = (value: number) => (value === 0 ? '' : value.toString(2));
const ones = (bits: string) => bits.replaceAll('0', '').length;

/** How many hashes an inclusion proof has, by the bits of the index and size: inner nodes, then those at the right edge. */
function inclusionLength(index: number, size: number): number {
  const inner = bitsOf(index ^ (size - 1)).length;
  return inner + ones(bitsOf(Math.floor(index / 2 ** inner)));
}

/** A consistency proof is the inclusion proof of the last perfect subtree, and that subtree if it is not the whole old tree. */
function consistencyLength(oldSize: number, size: number): number {
  if (oldSize === 0 || oldSize === size) return 0;
  const height = /0*$/.exec(bitsOf(oldSize))?.[0].length ?? 0;
  const index = oldSize / 2 ** height - 1;
  return inclusionLength(index, Math.ceil(size / 2 ** height)) + (index === 0 ? 0 : 1);
}

describeTestData('proofs of Merkle trees (RFC 6962)', () => {
  test.each([...vectorsOf<InclusionVector>('inclusion')])('%s', (_, vector) => {
    const { leafIdx: index, treeSize: size } = vector;
    const [root, leaf, path] = [bytes(vector.root), bytes(vector.leafHash), (vector.proof ?? []).map(bytes)];
    const reason = () => {
      if (index >= size) return 'wrong_index';
      if (leaf.length !== 32) return 'wrong_entry';
      return path.length === inclusionLength(index, size) ? 'wrong_root' : 'wrong_path';
    };
    expect(faultOf(() => verifyInclusion({ index, size, root, leaf, path }))).toBe(
      vector.wantErr ? reason() : 'none',
    );
  });

  test.each([...vectorsOf<ConsistencyVector>('consistency')])('%s', (_, vector) => {
    const { size1: oldSize, size2: size } = vector;
    const [oldRoot, root, path] = [bytes(vector.root1), bytes(vector.root2), (vector.proof ?? []).map(bytes)];
    const reason = () => {
      if (oldSize > size) return 'wrong_size';
      if (oldSize !== size && oldRoot.length !== 32) return 'wrong_root';
      return path.length === consistencyLength(oldSize, size) ? 'wrong_root' : 'wrong_path';
    };
    expect(faultOf(() => verifyConsistency({ oldSize, size, oldRoot, root, path }))).toBe(
      vector.wantErr ? reason() : 'none',
    );
  });
});
