import { expect, test } from 'vitest';
import { LineageTree } from '../../src/cli/commands/lineage/lineage-tree.ts';
import { lineageSummary, Titles } from '../../src/cli/commands/lineage/lineage-words.ts';
import type { LineageAnswer } from '../../src/contract/integrity/lineage.ts';

const titles: Pick<Titles, 'of' | 'shown'> = { of: (id) => id, shown: (id) => id };

/** A run has read the folder and written the file. The folder holds the other file, and itself was unpacked from an archive. */
const edges = [
  { kind: 'computation', role: 'output', from: 'run', to: 'file' },
  { kind: 'computation', role: 'input', from: 'folder', to: 'run' },
  { kind: 'containment', role: 'member', from: 'folder', to: 'other', path: 'other' },
  { kind: 'computation', role: 'output', from: 'unpack', to: 'folder' },
  { kind: 'computation', role: 'input', from: 'archive', to: 'unpack' },
].map((edge) => ({ ...edge, statement: edge.from, trust: { state: 'claimed' } }));
const nodes = ['file', 'run', 'folder', 'other', 'unpack', 'archive'].map((id) => ({
  id,
  kind: id === 'run' || id === 'unpack' ? 'statement' : 'artefact',
}));

test.each([
  ['file', 'upstream', 'made from 2 things by 2 computations'],
  ['other', 'upstream', 'made from 1 thing by 1 computation'],
  ['archive', 'downstream', 'used by 2 computations, which made 2 things'],
] as const)(
  'a folder counts if a run has read or written it, not as the place of a file: %s %s',
  (id, flow, words) => {
    const answer = { id, nodes, edges } as unknown as LineageAnswer;
    expect(lineageSummary(answer, titles as Titles, [flow])).toContain(`  ${words}`);
  },
);

test('a run that failed says so, in the summary and in the tree', () => {
  const failed = nodes.map((node) => (node.id === 'unpack' ? { ...node, failed: true } : node));
  const answer = { id: 'file', nodes: failed, edges } as unknown as LineageAnswer;
  expect(lineageSummary(answer, titles as Titles, ['upstream'])).toContain(
    '  made from 2 things by 2 computations (1 failed)',
  );
  const named = new Titles(answer);
  expect([named.of('unpack'), named.of('run')]).toEqual(['unpack (failed)', 'run']);
  const tree = new LineageTree(answer, { flows: ['upstream'], adviceFor: () => '' }).root();
  expect(JSON.stringify(tree)).toContain('statement unpack (failed)');
});
