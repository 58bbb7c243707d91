import { describe, expect, test } from 'vitest';
import { everythingVisible } from '../../../src/domain/access/visibility.ts';
import type { StatementFilter, StatementScope } from '../../../src/domain/integrity/ports.ts';
import { graphContents } from '../../../src/domain/integrity/statements/contents.ts';
import { placeNumber } from '../../../src/domain/integrity/statements/places.ts';
import type { StatementRows } from '../../../src/domain/integrity/statements/rows.ts';
import { statementIndex, statementReads } from '../../../src/domain/integrity/statements/statement-index.ts';
import { row } from '../../builders/rows.ts';
import { RowsInMemory } from '../../contract/rows-in-memory.ts';

const noFilter: StatementFilter = { kind: null, subject: null, registeredBy: null, from: null, until: null };
const all: StatementScope = { graphId: null, visibility: everythingVisible };
const ofMine: StatementScope = { graphId: null, visibility: { projects: new Set(['mine']) } };
const thing = 'urn:x:thing';
const references = [{ role: 'data', identifier: thing }];
const many = (count: number, name: string) =>
  Array.from({ length: count }, (_, at) => row(`${name} ${at}`, { references }));

async function storeOf(...graphIds: string[]): Promise<RowsInMemory> {
  const store = new RowsInMemory();
  for (const graphId of graphIds)
    await store.graphs.add({ graphId, name: graphId, parentId: null, projectId: graphId });
  return store;
}

describe('a query that must skip very many rows', () => {
  test('returns short pages up to its end', async () => {
    const store = await storeOf('mine', 'others');
    const mine = many(3, 'mine');
    await store.statements.putMany(mine, 'mine');
    await store.statements.putMany(many(6_000, 'others'), 'others');
    const index = statementIndex(store.rows);
    const pages: number[] = [];
    for (let after: string | null | undefined = null; after !== undefined; ) {
      const filter = { ...noFilter, kind: 'DataRegistration' };
      const page = await index.search(filter, { after, limit: 10 }, ofMine);
      pages.push(page.statements.length);
      after = page.next;
    }
    expect(pages).toEqual([0, 3]);
    const { references: found, next } = await index.references([thing], { after: null, limit: 10 }, ofMine);
    expect([found, typeof next]).toEqual([[], 'string']);
  });

  test('finds the oldest visible form behind all others', async () => {
    const store = await storeOf('mine', 'others');
    const form = (name: string) => row(name, { meaning: 'same' });
    await store.statements.putMany(
      Array.from({ length: 6_000 }, (_, at) => form(`others ${at}`)),
      'others',
    );
    await store.statements.putMany([form('mine')], 'mine');
    const found = await statementReads(store.rows).byRdfcCid(form('mine').rdfcCid, ofMine.visibility);
    expect(found?.jcsCid.text).toBe(form('mine').jcsCid.text);
  });

  test('reads the list of the reader’s projects if no filter applies', async () => {
    const store = await storeOf('mine', 'others');
    await store.statements.putMany(many(3, 'mine'), 'mine');
    await store.statements.putMany(many(6_000, 'others'), 'others');
    const { statements, next } = await statementIndex(store.rows).search(
      noFilter,
      { after: null, limit: 10 },
      ofMine,
    );
    expect([statements.length, next]).toEqual([3, undefined]);
  });
});

test('a traversal reports that it could not read all rows of an identifier', async () => {
  const { rows } = await storeOf('mine');
  const other = { ...row('other', { references }), memberships: [], mark: '' };
  let looked = 0;
  const endless: StatementRows = {
    ...rows.verified,
    referring: async (identifiers) => identifiers.map(() => null),
    page: async (_list, _after, limit) => {
      looked += limit;
      return { rows: Array(limit).fill(other), next: '' };
    },
  };
  const place = placeNumber({ role: 'data', kind: 'DataRegistration' });
  const query = { identifiers: [thing, thing], places: [{ place, limit: 10 }], most: 100 };
  const answers = await statementIndex({ ...rows, verified: endless }).referringTo(query, ofMine);
  expect(answers).toEqual(Array(2).fill({ found: [], isCut: true }));
  expect(looked).toBeLessThan(100_000);
});

test('cursors work only for their own list', async () => {
  const store = await storeOf('a');
  await store.statements.putMany(many(5, 'paged'), 'a');
  const index = statementIndex(store.rows);
  const { next = '' } = await index.search(noFilter, { after: null, limit: 1 }, all);
  const { next: other = '' } = await index.references([thing], { after: null, limit: 1 }, all);
  const position = (json: unknown) => Buffer.from(JSON.stringify(json)).toString('base64url');
  const madeUp = [
    '',
    '.',
    'x',
    `${next}0`,
    ` ${next}`,
    other,
    position([0, 'x']),
    `${position([0, null])}.AAAAAAAAAAAA`,
  ];
  for (const after of madeUp)
    await expect(index.search(noFilter, { after, limit: 1 }, all), after).rejects.toMatchObject({
      code: 'invalid_request',
    });
});

describe('the contents of graphs', () => {
  test('are merged in order, without duplicates, for any number of graphs', async () => {
    const graphIds = Array.from({ length: 300 }, (_, at) => `graph ${at}`);
    const store = await storeOf(...graphIds);
    const rows = many(2_000, 'row').map((each, at) => ({ ...each, isTrusted: at % 5 > 0 }));
    for (const [at, graphId] of graphIds.entries())
      await store.statements.putMany(at === 0 ? rows : rows.slice(at * 5, at * 5 + 8), graphId);
    const contents = graphContents(store);
    const pages = await Array.fromAsync(contents.statements(null, everythingVisible));
    const sorted = rows.toSorted((one, other) => Buffer.compare(one.rdfcCid.digest, other.rdfcCid.digest));
    expect(pages.flat().map(({ jcsCid }) => jcsCid.text)).toEqual(sorted.map(({ jcsCid }) => jcsCid.text));
  });

  test('come in shorter pages when the rows are large', async () => {
    const store = await storeOf('a');
    const jcs = new Uint8Array(400_000);
    const rows = many(300, 'row').map((each) => ({ ...each, jcs }));
    await store.statements.putMany(rows, 'a');
    const pages = await Array.fromAsync(graphContents(store).statements(['a'], everythingVisible));
    const lengths = pages.map((page) => page.length);
    expect(Math.max(...lengths.slice(3))).toBe(3);
    expect(lengths.reduce((sum, length) => sum + length)).toBe(300);
  });

  test('have the verified forms of an id before the others', async () => {
    const store = await storeOf('a', 'b');
    const form = (name: string, isTrusted: boolean) => row(name, { meaning: 'same', isTrusted });
    await store.statements.putMany([form('1', false), form('2', true)], 'a');
    await store.statements.putMany([form('3', true), form('4', false)], 'b');
    await store.statements.putMany([form('3', true)], 'a');
    const contents = graphContents(store);
    const pages = await Array.fromAsync(contents.statements(['b', 'a'], everythingVisible));
    expect(pages.flat().map(({ jcs }) => Buffer.from(jcs).toString())).toEqual(['2', '3', '1', '4']);
  });

  test('are counted in both sorts', async () => {
    const store = await storeOf('a', 'b');
    const rows = many(300, 'row').map((each, at) => ({ ...each, isTrusted: at % 2 > 0 }));
    await store.statements.putMany(rows.slice(0, 250), 'a');
    await store.statements.putMany(rows, 'b');
    const contents = graphContents(store);
    const cids = rows.map(({ jcsCid }) => jcsCid);
    expect([await contents.count('a', cids), await contents.count('b', cids)]).toEqual([250, 300]);
  });
});
