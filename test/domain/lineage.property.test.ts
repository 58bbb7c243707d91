import { randomUUID } from 'node:crypto';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { everythingVisible } from '../../src/domain/access/visibility.ts';
import { reachEverything } from '../../src/domain/integrity/access/content-reach.ts';
import { cidOf, cidUrn, codecs } from '../../src/domain/integrity/identifiers/cid.ts';
import type { StatementKind } from '../../src/domain/integrity/kinds/registry.ts';
import type { Flow } from '../../src/domain/integrity/lineage/edges.ts';
import type { Lineage } from '../../src/domain/integrity/lineage/graph.ts';
import { traceLineage } from '../../src/domain/integrity/lineage/lineage.ts';
import type { LineageQuery } from '../../src/domain/integrity/lineage/trace.ts';
import type { StatementRow } from '../../src/domain/integrity/ports.ts';
import type { Reference } from '../../src/domain/integrity/statements/references.ts';
import { row } from '../builders/rows.ts';
import { runs } from '../property-runs.ts';
import { openTemporary } from '../storage/temporary-folder.ts';
import { edgeTexts, modelEdges } from './lineage-model.ts';

let store: Awaited<ReturnType<typeof openTemporary>>;
beforeAll(async () => {
  store = await openTemporary();
});
afterAll(async () => {
  await store[Symbol.asyncDispose]();
});

const thing = fc.nat({ max: 7 });
const actor = fc.nat({ max: 1 });
const things = fc.uniqueArray(thing, { minLength: 1, maxLength: 3 });
const pair = fc.record({ one: thing, others: things, actor });
const saying = (kind: string) => pair.map((fields) => ({ kind, ...fields }));

/** Descriptions of statements about eight things and two actors; credentials are about an earlier statement. */
const statements = fc.array(
  fc.oneof(
    {
      weight: 5,
      arbitrary: fc.record({
        kind: fc.constant('computation'),
        one: thing,
        others: things,
        to: things,
        actor,
      }),
    },
    ...['association', 'metadata', 'governance', 'storage', 'data', 'foreign', 'credential'].map(saying),
  ),
  { maxLength: 15 },
);

type Description = typeof statements extends fc.Arbitrary<(infer Each)[]> ? Each : never;

function rowsOf(descriptions: readonly Description[], run: string): StatementRow[] {
  const thingUrn = (at: number) => thingOf(run, at);
  const rows: StatementRow[] = [];
  for (const [at, description] of descriptions.entries()) {
    const { one, others, actor: by } = description;
    const many = (role: string, all: readonly number[]): Reference[] =>
      all.map((each) => ({ role, identifier: thingUrn(each) }));
    const registeredBy = { role: 'registeredBy', identifier: actorOf(run, by) };
    const operatedBy = { role: 'operatedBy', identifier: actorOf(run, 1 - by) };
    const make = (kind: string, references: Reference[]) =>
      rows.push(row(JSON.stringify([run, at]), { kind, references: [registeredBy, ...references] }));
    switch (description.kind) {
      case 'computation': {
        const to = 'to' in description ? description.to : [];
        const made = [...many('input', others), ...many('output', to), ...many('computation', [one])];
        make('ComputationRegistration', [...made, operatedBy]);
        break;
      }
      case 'association':
        make('AssociationRegistration', [...many('subject', [one]), ...many('association', others)]);
        break;
      case 'metadata':
        make('MetadataRegistration', [...many('subject', [one]), ...many('metadata', others.slice(0, 1))]);
        break;
      case 'governance':
        make('GovernanceRegistration', [...many('subject', [one]), ...many('document', others.slice(0, 1))]);
        break;
      case 'storage':
        make('StorageRegistration', [
          ...many('data', [one]),
          ...many('storedOn', others.slice(0, 1)),
          operatedBy,
        ]);
        break;
      case 'data':
        make('DataRegistration', many('data', others));
        break;
      case 'credential': {
        const about = rows[one % Math.max(rows.length, 1)];
        const subject = about ? cidUrn(about.rdfcCid) : thingUrn(one);
        make('CredentialRegistration', [
          { role: 'credential', identifier: `urn:uuid:${at} ${run}` },
          { role: 'credentialSubject', identifier: subject },
        ]);
        break;
      }
      default:
        make('https://example.org/Foreign', [...many('a', [one]), ...many('b', others)]);
    }
  }
  return rows;
}

const thingOf = (run: string, at: number) => cidUrn(cidOf(codecs.raw, `${run} thing ${at}`));
const actorOf = (run: string, at: number) => `did:web:${run}:${at}`;

const flows = fc.constantFrom<readonly Flow[]>(['upstream'], ['downstream'], ['upstream', 'downstream']);
const kinds = fc.option(
  fc.subarray<StatementKind>(['ComputationRegistration', 'MetadataRegistration', 'CredentialRegistration'], {
    minLength: 1,
  }),
);
const starts = fc.oneof(
  { weight: 6, arbitrary: thing.map((at) => (run: string) => thingOf(run, at)) },
  { weight: 1, arbitrary: actor.map((at) => (run: string) => actorOf(run, at)) },
  {
    weight: 2,
    arbitrary: fc.nat().map((at) => (run: string, rows: readonly StatementRow[]) => {
      const named = rows[at % Math.max(rows.length, 1)];
      return named ? cidUrn(named.rdfcCid) : thingOf(run, 0);
    }),
  },
);

async function traced(rows: readonly StatementRow[], query: LineageQuery): Promise<Lineage | undefined> {
  await store.statements.putMany(rows, null);
  const scope = { graphId: null, visibility: everythingVisible };
  try {
    return await traceLineage({ ...store, reach: reachEverything }, query, scope);
  } catch (error) {
    expect(error).toMatchObject({ code: 'not_found' });
    return undefined;
  }
}

describe('the lineage of any statements', () => {
  test('is as docs/lineage.md describes it without limits', async () => {
    await fc.assert(
      fc.asyncProperty(
        statements,
        starts,
        flows,
        fc.nat({ max: 6 }),
        kinds,
        async (given, startOf, flow, depth, only) => {
          const run = randomUUID();
          const rows = rowsOf(given, run);
          const start = startOf(run, rows);
          const query = { start, flows: flow, depth, limit: 10_000, kinds: only };
          const lineage = await traced(rows, query);
          const expected = modelEdges(rows, query);
          expect(lineage ? edgeTexts(lineage) : []).toEqual(expected);
          const all = modelEdges(rows, { ...query, depth: 100 });
          if (lineage) expect(lineage.isTruncated).toBe(all.length > expected.length);
        },
      ),
      { numRuns: runs(300) },
    );
  });

  test('is truncated if more lies behind edges that only the other direction has shown', async () => {
    const run = randomUUID();
    const computation = (others: number[], to: number[]) => ({
      kind: 'computation',
      one: 5,
      others,
      to,
      actor: 0,
    });
    const loop = [computation([7], [4]), computation([4], [3]), computation([3], [0]), computation([0], [7])];
    const rows = rowsOf([...loop, computation([1], [7])], run);
    const flows: Flow[] = ['upstream', 'downstream'];
    const query = { start: thingOf(run, 0), flows, limit: 10_000, kinds: null };
    expect((await traced(rows, { ...query, depth: 2 }))?.isTruncated).toBe(true);
    expect((await traced(rows, { ...query, depth: 4 }))?.isTruncated).toBe(false);
  });

  test('is a connected part of that within limits, and marks where it is cut', async () => {
    await fc.assert(
      fc.asyncProperty(
        statements,
        starts,
        flows,
        fc.integer({ min: 1, max: 12 }),
        async (given, startOf, flow, limit) => {
          const run = randomUUID();
          const rows = rowsOf(given, run);
          const query = { start: startOf(run, rows), flows: flow, depth: 10, limit, kinds: null };
          const lineage = await traced(rows, query);
          if (!lineage) return;
          const expected = modelEdges(rows, query);
          const edges = edgeTexts(lineage);
          expect(lineage.nodes.length).toBeLessThanOrEqual(limit);
          expect(expected).toEqual(expect.arrayContaining(edges));
          expect(lineage.isTruncated).toBe(edges.length < expected.length);
          expect(lineage.isTruncated).toBe(lineage.nodes.some(({ cut }) => cut > 0));
          expect(linkedTo(lineage)).toEqual(new Set(lineage.nodes.map(({ id }) => id)));
        },
      ),
      { numRuns: runs(300) },
    );
  });
});

/** The nodes that edges link to the start, one way or another. */
function linkedTo({ start, edges }: Lineage): Set<string> {
  const linked = new Set([start]);
  for (let before = 0; before < linked.size; ) {
    before = linked.size;
    for (const { from, to } of edges) {
      if (linked.has(from)) linked.add(to);
      if (linked.has(to)) linked.add(from);
    }
  }
  return linked;
}
