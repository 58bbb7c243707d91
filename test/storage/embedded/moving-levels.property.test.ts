import fc from 'fast-check';
import { expect, test } from 'vitest';
import { everythingVisible } from '../../../src/domain/access/visibility.ts';
import { runs } from '../../property-runs.ts';
import type { Question } from '../answers-beside-model.ts';
import { kinds, makers, names, things } from '../said.ts';
import { StoreBesideModel } from '../store-beside-model.ts';

const sizes = fc.constantFrom({ first: 1, slice: 1 }, { first: 4, slice: 2 }, { first: 16, slice: 4 });

const said = fc.record({
  name: fc.nat({ max: names - 1 }),
  form: fc.nat({ max: 2 }),
  lie: fc.option(fc.nat({ max: 2 }), { freq: 2 }),
});
const batch = fc.record({ said: fc.array(said, { maxLength: 30 }), graph: fc.nat({ max: 6 }) });

const question: fc.Arbitrary<Question> = fc.oneof(
  fc.record({
    ask: fc.constant('search' as const),
    filter: fc.record({
      kind: fc.option(fc.constantFrom(...kinds), { freq: 1 }),
      subject: fc.option(fc.constantFrom(...things), { freq: 1 }),
      registeredBy: fc.option(fc.constantFrom(...makers), { freq: 1 }),
      from: fc.option(fc.nat({ max: 9 }), { freq: 1 }),
      until: fc.option(fc.nat({ max: 10 }), { freq: 1 }),
    }),
  }),
  fc.record({ ask: fc.constant('references' as const), identifier: fc.constantFrom(...things, ...makers) }),
  fc.record({ ask: fc.constant('forms' as const), name: fc.nat({ max: names - 1 }) }),
);
/** Of which graph, if of one, and of which project, if not of all. */
const scope = fc.record({ graph: fc.nat({ max: 6 }), project: fc.option(fc.nat({ max: 6 }), { freq: 1 }) });
const asked = fc.record({ question, scope, limit: fc.integer({ min: 1, max: 7 }) });

const step = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({ do: fc.constant('put' as const), batches: fc.array(batch, { maxLength: 3 }) }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      do: fc.constant('import' as const),
      first: fc.array(said, { maxLength: 20 }),
      between: fc.array(batch, { maxLength: 2 }),
      isPublished: fc.boolean(),
    }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('reopen' as const), sizes }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constantFrom('ask' as const, 'begin' as const), asked }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('neighbours' as const), scope }) },
  { weight: 2, arbitrary: fc.constant({ do: 'go on' as const }) },
);
type Step = typeof step extends fc.Arbitrary<infer One> ? One : never;

async function take(both: StoreBesideModel, one: Step): Promise<void> {
  const scopeOf = ({ graph, project }: { graph: number; project: number | null }) => {
    const visible = project === null ? null : both.graphId(project);
    const visibility = visible === null ? everythingVisible : { projects: new Set([visible]) };
    return { graphId: both.graphId(graph), visibility };
  };
  if (one.do === 'put') await both.put(one.batches);
  if (one.do === 'import') await both.import(one.first, one.between, one.isPublished);
  if (one.do === 'reopen') await both.reopen(one.sizes);
  if (one.do === 'ask') await both.ask({ ...one.asked, scope: scopeOf(one.asked.scope) });
  if (one.do === 'begin') await both.begin({ ...one.asked, scope: scopeOf(one.asked.scope) });
  if (one.do === 'neighbours') await both.askNeighbours(scopeOf(one.scope));
  if (one.do === 'go on') await both.goOn();
}

test('a store whose keys move all the time answers as a plain model does', { timeout: 120_000 }, async () => {
  const largest = new Map<string, number>();
  await fc.assert(
    fc.asyncProperty(
      sizes,
      fc.array(step, { minLength: 5, maxLength: 30, size: 'max' }),
      async (first, steps) => {
        await using both = await StoreBesideModel.open(first);
        for (const _graph of ['one', 'two']) await both.addGraph();
        for (const one of steps) await take(both, one);
        for (const [level, size] of await both.finish())
          largest.set(level, Math.max(size, largest.get(level) ?? 0));
      },
    ),
    { numRuns: runs(25), interruptAfterTimeLimit: 60_000 },
  );
  for (const set of ['entries', 'graph_order'])
    for (const level of [0, 1, 2])
      expect(largest.get(`${set}_${level}`), `${set}_${level}`).toBeGreaterThan(0);
});
