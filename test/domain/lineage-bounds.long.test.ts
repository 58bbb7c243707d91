import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { everythingVisible } from '../../src/domain/access/visibility.ts';
import { reachEverything } from '../../src/domain/integrity/access/content-reach.ts';
import { cidOf, cidUrn, codecs } from '../../src/domain/integrity/identifiers/cid.ts';
import type { Lineage } from '../../src/domain/integrity/lineage/graph.ts';
import { traceLineage } from '../../src/domain/integrity/lineage/lineage.ts';
import { row } from '../builders/rows.ts';
import { openTemporary } from '../storage/temporary-folder.ts';

let store: Awaited<ReturnType<typeof openTemporary>>;
beforeAll(async () => {
  store = await openTemporary();
});
afterAll(async () => {
  await store[Symbol.asyncDispose]();
});

const urn = (text: string) => cidUrn(cidOf(codecs.raw, text));
const range = (length: number, name: string) => Array.from({ length }, (_, at) => urn(`${name} ${at}`));

function computation(name: string, inputs: readonly string[], outputs: readonly string[]) {
  const references = [
    ...inputs.map((identifier) => ({ role: 'input', identifier })),
    ...outputs.map((identifier) => ({ role: 'output', identifier })),
  ];
  return row(JSON.stringify([name]), { kind: 'ComputationRegistration', references });
}

/** The lineage, and how often other work of the thread had its turn meanwhile. */
async function traced(start: string, depth: number, limit: number): Promise<Lineage & { turns: number }> {
  let turns = 0;
  let isTracing = true;
  const count = () => {
    turns += 1;
    if (isTracing) setImmediate(count);
  };
  setImmediate(count);
  const query = { start, flows: ['upstream'] as const, depth, limit, kinds: null };
  const lineage = await traceLineage({ ...store, reach: reachEverything }, query, {
    graphId: null,
    visibility: everythingVisible,
  });
  isTracing = false;
  return { ...lineage, turns };
}

describe('a lineage within its limits', () => {
  test('follows statements with thousands of ends that others share', async () => {
    const ends = range(4_000, 'end');
    const makers = Array.from({ length: 8 }, (_, at) =>
      computation(`maker ${at}`, [urn(`seed ${at}`)], ends),
    );
    await store.statements.putMany([...makers, computation('user', ends, [urn('used')])], null);
    const near = await traced(urn('used'), 1, 10_000);
    expect(near.nodes).toHaveLength(4_002);
    expect(near.nodes.filter(({ cut }) => cut > 0)).toHaveLength(4_000);
    expect(near.turns).toBeGreaterThan(10);
    const far = await traced(urn('used'), 2, 10_000);
    expect(far.nodes.map(({ id }) => id)).toEqual(expect.arrayContaining(range(8, 'seed')));
    expect(far.turns).toBeGreaterThan(10);
  });

  test('yields to other work at a hub', async () => {
    const makers = Array.from({ length: 6_000 }, (_, at) =>
      computation(`hub ${at}`, [urn(`in ${at}`)], [urn('hub')]),
    );
    await store.statements.putMany(makers, null);
    const { nodes, isTruncated, turns } = await traced(urn('hub'), 10, 5_000);
    expect([nodes.length, isTruncated]).toEqual([5_000, true]);
    expect(turns).toBeGreaterThan(10);
  });
});
