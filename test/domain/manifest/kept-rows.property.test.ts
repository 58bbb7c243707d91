import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { KeptRows } from '../../../src/domain/integrity/manifest/indexed/kept-rows.ts';
import { Postings } from '../../../src/domain/integrity/manifest/indexed/postings.ts';
import type { StatementRow } from '../../../src/domain/integrity/ports.ts';
import {
  otherPlaces,
  placeNumber,
  statementPlaces,
} from '../../../src/domain/integrity/statements/places.ts';
import type { StatementList, StatementRows } from '../../../src/domain/integrity/statements/rows.ts';
import { row } from '../../builders/rows.ts';
import { RowsInMemory } from '../../contract/rows-in-memory.ts';
import { runs } from '../../property-runs.ts';

const graphId = 'g';
const membership = { graphId, projectId: graphId };
const kinds = ['DataRegistration', 'AssociationRegistration', 'https://example.org/Kind'];
const roles = ['subject', 'payload', 'data', 'odd'];
const things = ['urn:x:one', 'urn:x:"other"', 'urn:x:none'];
const places = [...statementPlaces.map(placeNumber), otherPlaces];

const saidRow = fc.record({
  name: fc.nat({ max: 1_000 }),
  meaning: fc.nat({ max: 5 }),
  kind: fc.constantFrom(...kinds),
  time: fc.option(fc.nat({ max: 4 })),
  references: fc.uniqueArray(
    fc.record({ role: fc.constantFrom(...roles), identifier: fc.constantFrom(...things.slice(0, 2)) }),
    { maxLength: 4, selector: ({ role, identifier }) => role + identifier },
  ),
});
type Said = typeof saidRow extends fc.Arbitrary<infer Given> ? Given : never;

function rowOf({ name, meaning, ...fields }: Said): StatementRow {
  const text = JSON.stringify({ name, type: `t${name % 3}`, refers: fields.references });
  return row(text, { ...fields, meaning: `${meaning}` });
}

const lists = fc.oneof(
  fc.constantFrom<StatementList>(
    { by: 'storing' },
    { by: 'graph', graphId },
    { by: 'graph', graphId: 'other' },
    { by: 'projects', projects: [graphId] },
  ),
  fc.constantFrom(...kinds).map((kind): StatementList => ({ by: 'kind', kind })),
  fc
    .record({ from: fc.option(fc.nat({ max: 4 })), until: fc.option(fc.nat({ max: 5 })) })
    .map((range): StatementList => ({ by: 'time', ...range })),
  fc
    .nat({ max: 6 })
    .map((meaning): StatementList => ({ by: 'id', rdfcCid: row('', { meaning: `${meaning}` }).rdfcCid })),
  fc
    .record({ identifier: fc.constantFrom(...things), places: fc.subarray(places, { minLength: 1 }) })
    .map((asked): StatementList => ({ by: 'reference', ...asked })),
);

const plain = ({ jcs, jcsCid, rdfcCid, ...row }: StatementRow) => ({
  ...row,
  cids: [jcsCid.text, rdfcCid.text],
  mark: '',
  position: 0,
  text: Buffer.from(jcs).toString(),
});

async function pages(rows: StatementRows, list: StatementList, limit: number) {
  const found: object[] = [];
  for (let after: string | null = null; ; ) {
    const page = await rows.page(list, after, limit);
    expect(page.rows.length).toBeLessThanOrEqual(limit);
    found.push(...page.rows.map(plain));
    if (page.next === null) return found;
    after = page.next;
  }
}

describe('the rows of one graph', () => {
  const given = fc.uniqueArray(saidRow, {
    maxLength: 40,
    selector: (said) => String(rowOf(said).jcsCid.text),
  });

  async function both(said: readonly Said[]) {
    const model = new RowsInMemory();
    await model.graphs.add({ graphId, name: graphId, parentId: null, projectId: graphId });
    const rows = said.map(rowOf);
    await model.statements.putMany(rows, graphId);
    const kept = new KeptRows(true, membership);
    for (const each of rows) kept.add(each);
    return { rows, kept, model: model.rows.verified };
  }

  test('are listed as a store lists them', async () => {
    await fc.assert(
      fc.asyncProperty(given, lists, fc.integer({ min: 1, max: 9 }), async (said, list, limit) => {
        const { kept, model } = await both(said);
        expect(await pages(kept, list, limit)).toEqual(await pages(model, list, limit));
      }),
      { numRuns: runs(300) },
    );
  });

  test('are found by their references and forms as in a store', async () => {
    const asked = fc.option(fc.subarray(places));
    await fc.assert(
      fc.asyncProperty(given, asked, fc.integer({ min: 1, max: 9 }), async (said, from, limit) => {
        const { rows, kept, model } = await both(said);
        const found = async (of: StatementRows) =>
          (await of.referring(things, from, limit)).map(
            (each) =>
              each?.map(({ jcsCid, kind, references, time, associationType, memberships }) => ({
                ...{ name: jcsCid.text, kind, references, time, associationType, memberships },
              })) ?? null,
          );
        expect(await found(kept)).toEqual(await found(model));
        const cids = [row('unknown').jcsCid, ...rows.map(({ jcsCid }) => jcsCid)];
        const whole = async (of: StatementRows) => (await of.whole(cids)).map((one) => one && plain(one));
        expect(await whole(kept)).toEqual(await whole(model));
      }),
      { numRuns: runs(300) },
    );
  });

  test('refuse marks of other lists', async () => {
    const { kept } = await both([
      { name: 1, meaning: 1, kind: 'DataRegistration', time: null, references: [] },
    ]);
    for (const mark of ['', '1', '-1', 'x', '0.5'])
      await expect(kept.page({ by: 'storing' }, mark, 1), mark).rejects.toMatchObject({
        code: 'invalid_request',
      });
  });
});

test('numbers are kept under their hashes, however they come', () => {
  const entries = fc.array(fc.tuple(fc.constantFrom(0, 64, 2 ** 32 - 1, 2 ** 31), fc.nat({ max: 2_000 })), {
    maxLength: 50,
  });
  fc.assert(
    fc.property(entries, fc.nat({ max: 2_000 }), (added, limit) => {
      const postings = new Postings();
      for (const [hash, number] of added) postings.add(hash, number);
      const under = (...hashes: number[]) =>
        added.filter(([hash]) => hashes.includes(hash)).map(([, number]) => number);
      const ascending = (numbers: number[]) => numbers.toSorted((one, other) => one - other);
      expect([...postings.above(64, limit)]).toEqual(ascending(under(64)).filter((one) => one > limit));
      const below = [...new Set(under(0, 2 ** 31))].filter((one) => one < limit);
      expect([...postings.below([0, 2 ** 31], limit)]).toEqual(ascending(below).reverse());
    }),
    { numRuns: runs(200) },
  );
});
