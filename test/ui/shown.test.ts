import { array, assert, integer, property, tuple } from 'fast-check';
import { describe, expect, it } from 'vitest';
import { labelPlaces } from '../../src/ui/browser/lineage/drawing/label-places.ts';
import { anchored, nodeSize, placed, walked } from '../../src/ui/browser/lineage/drawing/layout.ts';
import { Graph } from '../../src/ui/browser/lineage/graph.ts';
import { firstView, shown } from '../../src/ui/browser/lineage/shown.ts';
import { answer, range } from './answers.ts';

const ids = ({ nodes }: ReturnType<typeof shown>) => nodes.map(({ id }) => id).sort();
const nodeIn = ({ nodes }: ReturnType<typeof shown>, id: string) => nodes.find((node) => node.id === id);

describe('a graph of several answers', () => {
  it('has each node and edge of the answers once', () => {
    const graph = new Graph(answer('b', ['a>run1', 'run1>b'], { a: 2 }));
    graph.merge(answer('a', ['x>run0', 'run0>a', 'a>run1'], { x: 1 }));
    expect([...graph.nodes.keys()]).toEqual(['b', 'a', 'run1', 'x', 'run0']);
    expect([...graph.edges.values()].map(({ from, to }) => `${from}>${to}`)).toEqual([
      'a>run1',
      'run1>b',
      'x>run0',
      'run0>a',
    ]);
  });

  it('takes hidden edges from the answer about a node, and from other answers only a lower number', () => {
    const graph = new Graph(answer('b', ['a>run1', 'run1>b'], { a: 2, b: 3 }));
    graph.merge(answer('a', ['a>run1'], { a: 9, b: 5, run1: 4 }));
    const hidden = Object.fromEntries([...graph.nodes.values()].map(({ id, hidden }) => [id, hidden]));
    expect(hidden).toEqual({ a: 9, b: 3, run1: 0 });
  });

  it('finds a shortest path from the start, despite cycles', () => {
    const graph = new Graph(answer('b', ['a>run1', 'run1>b', 'b>run2', 'run2>a', 'run2>c']));
    expect(graph.wayTo('c').map(({ from, to }) => `${from}>${to}`)).toEqual(['b>run2', 'run2>c']);
    expect(graph.wayTo('nowhere')).toEqual([]);
  });
});

describe('the drawn part', () => {
  it('is a small graph as a whole, and the start if there are no edges', () => {
    const graph = new Graph(answer('b', ['a>run1', 'run1>b', 'a-metadata>m']));
    expect(ids(shown(graph, firstView(graph, { facts: false, trust: null })))).toEqual(['a', 'b', 'run1']);
    const lonely = new Graph(answer('b', []));
    expect(ids(shown(lonely, firstView(lonely, { facts: false, trust: null })))).toEqual(['b']);
  });

  it('has credentials about things, but not those that are the mark of a statement', () => {
    const read = (text: string, role: string) =>
      answer('b', [text]).edges.map((edge) => ({ ...edge, kind: 'credential', role }));
    const flow = answer('b', ['a>run1', 'run1>b', 'run1>run2', 'b>run3', 'run3>own']);
    const credentials = [
      ...read('run1>run2', 'credentialSubject'),
      ...read('b>run3', 'credentialSubject'),
      ...read('run3>own', 'credential'),
    ];
    const graph = new Graph({ ...flow, edges: [...flow.edges.slice(0, 2), ...credentials] });
    const first = firstView(graph, { facts: false, trust: null });
    expect(ids(shown(graph, first))).toEqual(['a', 'b', 'run1', 'run3']);
    expect(ids(shown(graph, { ...first, facts: true }))).toEqual(['a', 'b', 'own', 'run1', 'run2', 'run3']);
  });

  it('has only statements with the chosen mark, and edges that the reader asked for', () => {
    const found = answer('b', ['a>run1', 'run1>b', 'b-metadata>m']);
    const edges = found.edges.map((edge) =>
      edge.role === 'metadata' ? { ...edge, trust: { state: 'signed' as const, valid: true } } : edge,
    );
    const graph = new Graph({ ...found, edges });
    const signed = firstView(graph, { facts: true, trust: 'signed' });
    expect(ids(shown(graph, signed))).toEqual(['b', 'm']);
    expect(ids(shown(graph, { ...signed, trust: 'claimed' }))).toEqual(['a', 'b', 'run1']);
    expect(ids(shown(graph, { ...signed, trust: 'revoked' }))).toEqual(['b']);
    const key = graph.edgesAt('a')[0]?.key ?? '';
    expect(ids(shown(graph, { ...signed, revealed: new Set([key]) }))).toEqual(['a', 'b', 'm', 'run1']);
  });

  it('is the flow of a larger graph, the rest at opened nodes, and facts only on request', () => {
    const inputs = range('a', 20);
    const flow = [...inputs.map((id) => `${id}>run1`), 'run1>b', 'b-metadata>m'];
    const graph = new Graph(
      answer('b', [...flow, ...inputs.map((id) => `${id}-association>of-${id}`)], { a0: 7 }),
    );
    const first = firstView(graph, { facts: false, trust: null });
    const before = shown(graph, first);
    expect(ids(before)).toEqual([...inputs, 'b', 'run1'].sort());
    expect([nodeIn(before, 'a0')?.more, nodeIn(before, 'a1')?.more, nodeIn(before, 'b')?.more]).toEqual([
      8, 1, 0,
    ]);
    const after = shown(graph, { ...first, opened: new Set(['b', 'a0']) });
    expect(ids(after)).toEqual([...ids(before), 'of-a0'].sort());
    expect(nodeIn(after, 'a0')).toEqual({ id: 'a0', more: 7, isOpen: true });
    const asked = shown(graph, { ...first, opened: new Set(['b', 'a0']), asked: new Set(['b', 'a0']) });
    expect(nodeIn(asked, 'a0')?.more).toBe(0);
    const whole = shown(graph, firstView(graph, { facts: true, trust: null })).nodes;
    expect(whole).toHaveLength(graph.nodes.size);
    expect(whole.filter(({ isOpen, more }) => isOpen || more > 0)).toEqual([
      { id: 'a0', more: 7, isOpen: false },
    ]);
  });

  it('has facts about one thing if they lead to the start', () => {
    const metadata = new Graph(answer('m', ['b-metadata>m', 'b-metadata>other']));
    expect(ids(shown(metadata, firstView(metadata, { facts: false, trust: null })))).toEqual(['b', 'm']);
    const itself = new Graph(answer('m', ['m-metadata>m']));
    expect(shown(itself, firstView(itself, { facts: false, trust: null })).edges).toEqual([]);
  });

  it('is everything below 40 nodes, however many facts there are', () => {
    const inputs = range('a', 37);
    const facts = inputs.flatMap((id) => [`${id}-metadata>of-${id}`, `${id}-association>set-${id}`]);
    const edges = [...inputs.map((id, at) => `${id}>run${at % 2}`), 'run0>b', ...facts.slice(0, 1)];
    const graph = new Graph(answer('b', edges));
    expect(shown(graph, firstView(graph, { facts: false, trust: null })).nodes).toHaveLength(21);
  });

  it('stacks a long row of nodes with the same relations, and unstacks more on request', () => {
    const inputs = range('a', 40);
    const graph = new Graph(
      answer('b', [...inputs.map((id) => `${id}>run1`), 'run1>b', 'x>run0', 'run0>a3']),
    );
    const first = firstView(graph, { facts: false, trust: null });
    const before = shown(graph, first);
    const stack = before.nodes.find((node) => node.stack);
    expect([stack?.more, stack?.stack?.roles, stack?.stack?.beside]).toEqual([27, ['input'], 'a12']);
    expect(ids(before)).toContain('a3');
    expect(before.edges.filter(({ from }) => from === stack?.id)).toEqual([
      { from: stack?.id, to: 'run1', edges: expect.objectContaining({ length: 27 }) },
    ]);
    const after = shown(graph, { ...first, taken: new Map([[stack?.id ?? '', 24]]) });
    expect(after.nodes.find((node) => node.stack)?.stack?.members).toEqual(['a37', 'a38', 'a39']);
    const key = graph.edgesAt('a39')[0]?.key ?? '';
    expect(ids(shown(graph, { ...first, revealed: new Set([key]) }))).toContain('a39');
  });

  it('is limited at first to the nearest nodes', () => {
    const chain = range('a', 300).flatMap((id, at) => [`${id}>run${at}`, `run${at}>a${at + 1}`]);
    const graph = new Graph(answer('a150', chain));
    const { nodes } = shown(graph, firstView(graph, { facts: false, trust: null }));
    expect(nodes.length).toBeLessThanOrEqual(72);
    const numbers = nodes.filter(({ id }) => id.startsWith('a')).map(({ id }) => Number(id.slice(1)));
    expect([Math.min(...numbers) > 130, Math.max(...numbers) < 170]).toEqual([true, true]);
  });

  it('joins the edges between two nodes into one line', () => {
    const graph = new Graph(answer('b', ['a>run1', 'a-computation>run1', 'run1>b']));
    const line = shown(graph, firstView(graph, { facts: false, trust: null })).edges.find(
      ({ from }) => from === 'a',
    );
    expect(line?.edges.map(({ role }) => role)).toEqual(['input', 'computation']);
  });
});

describe('the layout', () => {
  const graph = new Graph(answer('b', ['a1>run1', 'a2>run1', 'run1>b', 'b>run2', 'run2>c']));
  const picture = shown(graph, firstView(graph, { facts: false, trust: null }));

  it('has columns from left to right, without overlaps', () => {
    const { places } = placed(picture);
    const x = (id: string) => places.get(id)?.x ?? Number.NaN;
    expect(x('a1')).toBe(x('a2'));
    expect(['a1', 'run1', 'b', 'run2', 'c'].map(x)).toEqual(
      ['a1', 'run1', 'b', 'run2', 'c'].map(x).sort((a, b) => a - b),
    );
    expect(new Set([...places.values()].map(({ x, y }) => `${x} ${y}`)).size).toBe(places.size);
  });

  it('accepts cycles and a node with an edge to itself', () => {
    const round = new Graph(answer('a', ['a>run1', 'run1>b', 'b>run2', 'run2>a', 'a-association>a']));
    const { places, paths } = placed(shown(round, firstView(round, { facts: false, trust: null })));
    expect(places.size).toBe(4);
    expect([...paths.values()].flat().every(({ x, y }) => Number.isFinite(x) && Number.isFinite(y))).toBe(
      true,
    );
  });

  it('keeps the position of one node', () => {
    const layout = placed(picture);
    const moved = anchored(layout, { x: 1_000, y: -50 }, layout.places.get('b'));
    expect(moved.places.get('b')).toEqual({ x: 1_000, y: -50 });
    expect(anchored(layout, undefined, layout.places.get('b')).places).toEqual(layout.places);
  });

  it('is walked along edges and within columns', () => {
    const { places } = placed(picture);
    const walk = (key: string, id: string) => walked(key, id, places, picture.edges);
    expect(walk('ArrowRight', 'a1')).toBe('run1');
    expect(['a1', 'a2']).toContain(walk('ArrowLeft', 'run1'));
    expect([walk('ArrowDown', 'a1'), walk('ArrowUp', 'a1')].filter(Boolean)).toEqual(['a2']);
    expect([walk('ArrowRight', 'c'), walk('ArrowUp', 'c')]).toEqual([undefined, undefined]);
  });

  it('has no text over another one or over a node', () => {
    const ends = integer({ min: 0, max: 9 });
    assert(
      property(
        array(tuple(ends, ends), { minLength: 1, maxLength: 30 }),
        integer({ min: 20, max: 260 }),
        (pairs, width) => {
          const round = new Graph(
            answer(
              '0',
              pairs.map(([from, to]) => `${from}-association>${to}`),
            ),
          );
          const drawn = shown(round, firstView(round, { facts: true, trust: null }));
          const layout = placed(drawn, () => width);
          const texts = [...labelPlaces(drawn, layout, () => width).values()].map(({ x, y, anchor }) => {
            const left = x - { start: 0, middle: width / 2, end: width }[anchor];
            return { left, right: left + width, top: y - 12, bottom: y + 3 };
          });
          const nodes = [...layout.places.values()].map(({ x, y }) => ({
            left: x - nodeSize.width / 2,
            right: x + nodeSize.width / 2,
            top: y - nodeSize.height / 2,
            bottom: y + nodeSize.height / 2,
          }));
          const isOver = (a: (typeof nodes)[0], b: (typeof nodes)[0]) =>
            a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom;
          const over = texts.filter((text) =>
            [...texts, ...nodes].some((one) => one !== text && isOver(text, one)),
          );
          expect(over).toEqual([]);
        },
      ),
      { numRuns: 50 },
    );
  });
});
