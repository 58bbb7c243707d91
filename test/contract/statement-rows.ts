import { randomUUID } from 'node:crypto';
import fc from 'fast-check';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { everythingVisible } from '../../src/domain/access/visibility.ts';
import { cidOf, codecs, digestHex } from '../../src/domain/integrity/identifiers/cid.ts';
import type { GraphImports } from '../../src/domain/integrity/manifest/ports.ts';
import type { Graph, GraphStore, StatementRow, StatementStore } from '../../src/domain/integrity/ports.ts';
import { otherPlaces, placeNumber } from '../../src/domain/integrity/statements/places.ts';
import type {
  BySort,
  GraphReads,
  ListedStatement,
  OrderedRows,
  ReferringRow,
  RowsSnapshot,
  StatementList,
  StatementRows,
  StatementRowsOfStore,
} from '../../src/domain/integrity/statements/rows.ts';
import { counted } from '../builders/put-counts.ts';
import { row } from '../builders/rows.ts';
import { runs } from '../property-runs.ts';
import { RowsInMemory } from './rows-in-memory.ts';

export interface StoreOfRows extends AsyncDisposable {
  readonly rows: StatementRowsOfStore;
  readonly statements: Pick<StatementStore, 'putMany'>;
  readonly graphs: Pick<GraphStore, 'add'>;
  readonly graphImports: GraphImports;
  readonly graphReads: GraphReads;
  snapshot(): Promise<RowsSnapshot>;
}

/** The rows of one sort, of the store and of its snapshots. */
type Rows = StatementRows & OrderedRows;

const noAttachments = { contexts: [], anchors: [] };
const inData = placeNumber({ role: 'data', kind: 'DataRegistration' });
const inEntity = placeNumber({ role: 'entity', kind: 'EntityRegistration' });

/** What every store of statement rows does. It is left empty or filled: each test has names of its own. */
export function statementRowsContract(open: () => Promise<StoreOfRows>): void {
  describe('a store of statement rows', () => {
    let store: StoreOfRows;
    let verified: Rows;
    let unverified: Rows;
    /** What makes names unlike those of other tests. */
    let own: string;
    let first: string;
    let second: string;
    let thing: string;

    beforeAll(async () => {
      store = await open();
      ({ verified, unverified } = rowsOf(store));
    });
    afterAll(async () => {
      await store[Symbol.asyncDispose]();
    });
    beforeEach(async () => {
      own = randomUUID();
      thing = `urn:uuid:${own}`;
      [first, second] = [await addGraph(), await addGraph()];
    });

    /** A root graph that is a project of its own. */
    async function addGraph(graph = newGraph()): Promise<string> {
      await store.graphs.add(graph);
      return graph.graphId;
    }

    const named = (text: string, fields?: Parameters<typeof row>[1]) => row(`${own} ${text}`, fields);
    const about = (text: string, fields: Parameters<typeof row>[1] = {}) =>
      named(text, { references: [{ role: 'data', identifier: thing }], ...fields });
    const forged = (text: string, fields: Parameters<typeof row>[1] = {}) =>
      about(text, { isTrusted: false, ...fields });
    const many = (count: number, make: (text: string) => StatementRow = about) =>
      Array.from({ length: count }, (_, at) => make(`many ${at}`));
    const put = (rows: readonly StatementRow[], graphId: string | null) =>
      store.statements.putMany(rows, graphId);
    const ofGraph = (graphId: string): StatementList => ({ by: 'graph', graphId });
    const referringTo = (identifier: string, ...places: number[]): StatementList => ({
      by: 'reference',
      identifier,
      places,
    });

    async function graphsOf(rows: StatementRows, { jcsCid }: StatementRow): Promise<string[] | undefined> {
      const [found] = await rows.whole([jcsCid]);
      return found?.memberships.map(({ graphId }) => graphId);
    }

    async function textsAt(rows: OrderedRows, graphId: string, limit = 1_000): Promise<string[]> {
      const found = await rows.atMarks(await marksOf(rows, graphId, limit));
      return found.map((each) => Buffer.from(each?.jcs ?? []).toString());
    }

    describe('lists', () => {
      test('rows by kind, graph, project and reference, newest stored first', async () => {
        const kind = `https://example.org/${own}`;
        const rows = many(5, (text) => about(text, { kind }));
        for (const each of rows) await put([each], first);
        await put(rows.slice(1, 3), second);
        await put([named('other')], first);
        const lists: [StatementList, StatementRow[]][] = [
          [{ by: 'kind', kind }, rows],
          [referringTo(thing, otherPlaces), rows],
          [{ by: 'graph', graphId: second }, rows.slice(1, 3)],
          [{ by: 'projects', projects: [second] }, rows.slice(1, 3)],
          [{ by: 'graph', graphId: first }, [...rows, named('other')]],
          [{ by: 'projects', projects: [second, first, `none ${own}`] }, [...rows, named('other')]],
          [{ by: 'projects', projects: [] }, []],
          [{ by: 'graph', graphId: `none ${own}` }, []],
          [{ by: 'kind', kind: `none ${own}` }, []],
        ];
        for (const [list, expected] of lists)
          for (const limit of [1, 2, 4, 5, 6, 100])
            expect(await names(verified, list, limit), list.by).toEqual(texts(expected.toReversed()));
      });

      test('all rows, newest stored first', async () => {
        const rows = many(5);
        await put(rows, null);
        const page = await verified.page({ by: 'storing' }, null, 3);
        const rest = await verified.page({ by: 'storing' }, page.next, 2);
        expect(texts([...page.rows, ...rest.rows])).toEqual(texts(rows.toReversed()));
      });

      test('rows by their times, the latest first', async () => {
        const base = 1e12 + Math.floor(Math.random() * 1e9) * 10;
        const times = [3, 1, 4, 1, 5, 9, 2, 6].map((time) => base + time);
        const rows = times.map((time, at) => about(`time ${at}`, { time }));
        await put([...rows, about('timeless')], first);
        const inOrder = (from: number, until: number) =>
          rows
            .map((each, at) => ({ each, at, time: each.time ?? 0 }))
            .filter(({ time }) => time >= base + from && time < base + until)
            .toSorted((one, other) => other.time - one.time || other.at - one.at)
            .map(({ each }) => each);
        for (const [from, until] of [
          [0, 10],
          [1, 5],
          [1, 2],
          [7, 9],
        ] as const)
          for (const limit of [1, 3, 100]) {
            const list = { by: 'time', from: base + from, until: base + until } as const;
            expect(await names(verified, list, limit)).toEqual(texts(inOrder(from, until)));
          }
        const latest = await verified.page({ by: 'time', from: base + 9, until: null }, null, 100);
        expect(texts(latest.rows)).toContain(rows[5]?.jcsCid.text);
        const { rows: before } = await verified.page({ by: 'time', from: null, until: base + 2 }, null, 2);
        expect(texts(before)).toEqual(texts(inOrder(1, 2)));
      });

      test('the forms of an id, oldest first', async () => {
        const forms = many(5, (text) => named(text, { meaning: own }));
        for (const form of forms) await put([form], first);
        const list: StatementList = { by: 'id', rdfcCid: cidOf(codecs.rdfc, own) };
        for (const limit of [1, 2, 5, 100]) expect(await names(verified, list, limit)).toEqual(texts(forms));
        expect(await names(verified, { by: 'id', rdfcCid: cidOf(codecs.rdfc, 'none') })).toEqual([]);
        const raw = { by: 'id', rdfcCid: cidOf(codecs.raw, own) } as const;
        expect(await names(verified, raw)).toEqual([]);
      });

      test('rows by the places in which they refer to an identifier, each once', async () => {
        const at = (role: string, kind: string, text: string) =>
          named(text, { kind, references: [{ role, identifier: thing }] });
        const data = at('data', 'DataRegistration', 'data');
        const entity = at('entity', 'EntityRegistration', 'entity');
        const foreign = at('data', 'https://example.org/Kind', 'foreign');
        const odd = at('odd role', 'DataRegistration', 'odd');
        const twice = named('twice', {
          kind: 'https://example.org/Kind',
          references: ['a', 'b'].map((role) => ({ role, identifier: thing })),
        });
        const elsewhere = named('elsewhere', { references: [{ role: 'data', identifier: `${thing}0` }] });
        const rows = [data, entity, foreign, odd, twice, elsewhere];
        await put(rows, first);
        const listed = (...places: number[]) => names(verified, referringTo(thing, ...places), 2);
        expect(await listed(inData)).toEqual(texts([data]));
        expect(await listed(otherPlaces)).toEqual(texts([twice, odd, foreign]));
        expect(await listed(inEntity, otherPlaces, inData)).toEqual(texts(rows.slice(0, 5).toReversed()));
        expect(await listed(placeNumber({ role: 'did', kind: 'DidRegistration' }))).toEqual([]);
        expect(await listed()).toEqual([]);
      });

      test('continues after a row although others were stored', async () => {
        const rows = many(3);
        await put(rows, first);
        const lists = [ofGraph(first), referringTo(thing, inData)];
        const pages = await Promise.all(lists.map((list) => verified.page(list, null, 2)));
        await put([about('later')], first);
        for (const [at, list] of lists.entries()) {
          const after = pages[at]?.rows[0]?.mark ?? null;
          const rest = await verified.page(list, after, 9);
          expect(texts(rest.rows)).toEqual(texts([rows[1], rows[0]] as StatementRow[]));
          expect(rest.next).toBeNull();
        }
      });

      test('whole rows with their graphs', async () => {
        const given = about('whole', { time: -5, contextSet: cidOf(codecs.jcs, own).text, meaning: own });
        await put([given], second);
        await put([given], first);
        const { rows } = await verified.page(ofGraph(second), null, 9);
        const memberships = [second, first].map((graphId) => ({ graphId, projectId: graphId }));
        expect(rows.map(plain)).toEqual([plain({ ...given, memberships })]);
        expect(rows[0]?.mark.length).toBeLessThanOrEqual(200);
      });

      test('has all rows in its pages although they have very many references', async () => {
        const others = (at: number) =>
          Array.from({ length: 3_000 }, (_, end) => ({
            role: 'data',
            identifier: `urn:x:${own}:${at} ${end}`,
          }));
        const rows = Array.from({ length: 12 }, (_, at) =>
          about(`large ${at}`, { references: [{ role: 'data', identifier: thing }, ...others(at)] }),
        );
        await put(rows, first);
        expect(await names(verified, referringTo(thing, inData), 10)).toEqual(texts(rows.toReversed()));
        expect(await names(verified, ofGraph(first), 100)).toEqual(texts(rows.toReversed()));
      });

      test('refuses invalid marks', async () => {
        await put(
          many(3, (text) => about(text, { time: 5 })),
          first,
        );
        const lists: StatementList[] = [
          { by: 'storing' },
          { by: 'kind', kind: 'DataRegistration' },
          { by: 'time', from: null, until: null },
          { by: 'id', rdfcCid: about('many 0').rdfcCid },
          ofGraph(first),
          { by: 'projects', projects: [first] },
          referringTo(thing, inData),
        ];
        const madeUp = ['', 'x y', "' OR 1=1", '{"$gt":""}', '\u{1F600}', 'g'.repeat(1_000)];
        for (const mark of madeUp) {
          for (const list of lists)
            await expect(verified.page(list, mark, 1), `${list.by} ${mark}`).rejects.toMatchObject({
              code: 'invalid_request',
            });
          await expect(verified.contents(first, mark, 1), mark).rejects.toMatchObject({
            code: 'invalid_request',
          });
        }
      });
    });

    describe('asked what refers to identifiers', () => {
      test('answers each of them, from any place, newest first', async () => {
        const other = `urn:uuid:${randomUUID()}`;
        const both = about('both', {
          references: [thing, other, thing].map((identifier, at) => ({ role: `role ${at}`, identifier })),
        });
        const foreign = about('foreign', { kind: 'https://example.org/Kind' });
        await put([about('a'), both, foreign], first);
        const found = await verified.referring([other, thing, `none ${own}`], null, 3);
        expect(found.map((rows) => rows?.map(({ rdfcCid }) => rdfcCid.text))).toEqual([
          [both.rdfcCid.text],
          [foreign, both, about('a')].map(({ rdfcCid }) => rdfcCid.text),
          [],
        ]);
        expect(found[1]?.[1]).toBe(found[0]?.[0]);
        const { references, kind } = both;
        const memberships = [{ graphId: first, projectId: first }];
        expect(found[0]?.[0]).toMatchObject({ references, kind, isTrusted: true, associationType: null });
        expect(found[0]?.[0]?.memberships).toEqual(memberships);
        const list = referringTo(thing, inData, otherPlaces);
        const rest = await verified.page(list, found[1]?.[0]?.mark ?? null, 9);
        expect(texts(rest.rows)).toEqual(texts([both, about('a')]));
      });

      test('tells long identifiers apart', async () => {
        const long = `did:web:${'a.'.repeat(900)}${own}`;
        const [one, other] = [`${long}.one`, `${long}.other`];
        const rows = [long, one, other].map((identifier) =>
          about(identifier, { references: [{ role: 'data', identifier }] }),
        );
        await put(rows, first);
        const found = await verified.referring([one, long], null, 1);
        expect(found.map((some) => some?.map(({ references }) => references[0]?.identifier))).toEqual([
          [one],
          [long],
        ]);
      });

      test('returns the types of associations, unless they are long', async () => {
        const kind = 'AssociationRegistration';
        const references = [{ role: 'subject', identifier: thing }];
        const typed = row(JSON.stringify({ own, type: 'includes' }), { kind, references });
        const long = row(JSON.stringify({ own, type: 'x'.repeat(101) }), { kind, references });
        const other = row(JSON.stringify({ own, type: 'none' }), { references });
        await put([other, long, typed], first);
        const [found] = await verified.referring([thing], null, 9);
        expect(found?.map(({ associationType }) => associationType)).toEqual(['includes', null, null]);
      });

      test('includes all rows of some places', async () => {
        const entity = about('entity', { kind: 'EntityRegistration' });
        await put([about('a'), entity], first);
        const found = await verified.referring([thing], [inData], 9);
        expect(found[0]?.filter((each) => isAt(each, thing, [inData])).map(referrer)).toMatchObject([
          { names: [about('a').rdfcCid.text, about('a').jcsCid.text] },
        ]);
      });

      test('returns null above its limit', async () => {
        await put(many(5), first);
        const answers = await Promise.all([4, 5].map((limit) => verified.referring([thing], null, limit)));
        expect(answers.map(([rows]) => rows?.length)).toEqual([undefined, 5]);
      });

      test('answers a whole group of identifiers', async () => {
        const identifiers = Array.from({ length: 50 }, (_, at) => `${thing}:${at}`);
        const rows = identifiers.map((identifier, at) =>
          about(`of ${at}`, { references: [{ role: 'data', identifier }] }),
        );
        await put(rows, first);
        const found = await verified.referring(identifiers, null, 64);
        expect(found.map((each) => each?.map(({ rdfcCid }) => rdfcCid.text))).toEqual(
          rows.map(({ rdfcCid }) => [rdfcCid.text]),
        );
      });
    });

    test('returns whole rows in the given order', async () => {
      const given = about('whole', { time: 7, meaning: own, contextSet: cidOf(codecs.jcs, own).text });
      await put([about('other'), given], first);
      await put([given], second);
      const unknown = named('unknown');
      const raw = cidOf(codecs.raw, given.jcs);
      const found = await verified.whole([given.jcsCid, unknown.jcsCid, raw, about('other').jcsCid]);
      expect(found.map((each) => each?.jcsCid.text)).toEqual([
        given.jcsCid.text,
        undefined,
        undefined,
        about('other').jcsCid.text,
      ]);
      const memberships = [first, second].map((graphId) => ({ graphId, projectId: graphId }));
      expect(found[0] && plain(found[0])).toEqual(plain({ ...given, memberships }));
      expect(Buffer.from(found[0]?.jcs ?? [])).toEqual(Buffer.from(given.jcs));
      expect(await verified.whole([])).toEqual([]);
    });

    test('says where rows are, as whole rows do', async () => {
      const given = many(100, (text) => named(text));
      await put([...given, about('other')], first);
      await put(given, second);
      const cids = [...given, named('unknown'), about('other')].map(({ jcsCid }) => jcsCid);
      const whole = (await verified.whole(cids)).map(
        (one) => one && { jcsCid: one.jcsCid.text, position: one.position, memberships: one.memberships },
      );
      const placed = await verified.placed(cids);
      expect(placed.map((one) => one && { ...one, jcsCid: one.jcsCid.text })).toEqual(whole);
      expect(whole.map((one) => one?.memberships.length)).toEqual([...given.map(() => 2), undefined, 1]);
      expect(await verified.placed([])).toEqual([]);
    });

    describe('has the contents of a graph', () => {
      test('in the order of their ids, forms of one id in the order of storing', async () => {
        const rows = [
          ...many(300, (text) => named(text)),
          ...many(5, (text) => named(`form ${text}`, { meaning: own })),
        ];
        await put(rows.slice(0, 200), first);
        await put(rows.slice(200), first);
        const expected = rows
          .toSorted((one, other) => Buffer.compare(one.rdfcCid.digest, other.rdfcCid.digest))
          .map(({ jcs }) => Buffer.from(jcs).toString());
        for (const limit of [7, 305, 1_000]) expect(await textsAt(verified, first, limit)).toEqual(expected);
        expect(await textsAt(verified, second)).toEqual([]);
        expect(await textsAt(verified, `none ${own}`)).toEqual([]);
      });

      test('with large rows between small ones', async () => {
        const rows = [...many(4), ...many(2, (text) => named(text.padEnd(100_000, '.')))];
        await put(rows, first);
        const expected = rows.map(({ jcs }) => Buffer.from(jcs).toString()).sort();
        expect((await textsAt(verified, first)).sort()).toEqual(expected);
      });

      test('with marks that sort like the rows, equal in all graphs', async () => {
        const rows = many(40);
        await put(rows.slice(0, 30), first);
        await put(rows.slice(10).toReversed(), second);
        const [one, other] = [await marksOf(verified, first, 9), await marksOf(verified, second, 9)];
        expect(one).toEqual(one.toSorted());
        expect(new Set(one).intersection(new Set(other)).size).toBe(20);
        const heads = rows.slice(0, 30).map(({ rdfcCid }) => digestHex(rdfcCid).slice(0, 32));
        expect(one.map((mark) => mark.slice(0, 32))).toEqual(heads.toSorted());
        const asked = [...one.slice(3, 5).reverse(), `${'0'.repeat(32)}${one[0]?.slice(32)}`];
        const all = await verified.atMarks(one);
        expect((await verified.atMarks(asked)).map((each) => each?.jcsCid.text)).toEqual([
          all[4]?.jcsCid.text,
          all[3]?.jcsCid.text,
          undefined,
        ]);
        expect(await verified.atMarks([])).toEqual([]);
      });

      test('as whole rows', async () => {
        const given = about('whole', { time: 5, contextSet: cidOf(codecs.jcs, own).text });
        await put([given], first);
        const [found] = await verified.atMarks(await marksOf(verified, first));
        expect(found && plain(found)).toEqual(plain(given));
        expect(Buffer.from(found?.jcs ?? [])).toEqual(Buffer.from(given.jcs));
      });
    });

    describe('keeps unverified rows apart', () => {
      test('in all lists', async () => {
        const kind = `https://example.org/${own}`;
        const [honest, other] = [
          about('honest', { kind, meaning: own }),
          forged('forged', { kind, meaning: own }),
        ];
        expect(await put([honest, other], first)).toEqual(counted({ stored: 2 }));
        const lists: StatementList[] = [
          { by: 'kind', kind },
          { by: 'id', rdfcCid: honest.rdfcCid },
          ofGraph(first),
          { by: 'projects', projects: [first] },
          referringTo(thing, otherPlaces),
        ];
        for (const list of lists) {
          expect(await names(verified, list), list.by).toEqual(texts([honest]));
          expect(await names(unverified, list), list.by).toEqual(texts([other]));
        }
        for (const [rows, row, stranger] of [
          [verified, honest, other],
          [unverified, other, honest],
        ] as const) {
          const { isTrusted } = row;
          expect(await rows.whole([row.jcsCid, stranger.jcsCid])).toMatchObject([{ isTrusted }, undefined]);
          expect(await rows.referring([thing], null, 9)).toMatchObject([[{ isTrusted }]]);
          expect(await textsAt(rows, first)).toEqual([Buffer.from(row.jcs).toString()]);
        }
      });

      test('until a verified one replaces them as a new row with all their graphs', async () => {
        const before = about('before');
        const claim = forged('claim', { kind: 'Forged', meaning: `forged ${own}`, contextSet: 'forged' });
        const honest = named('claim', {
          references: [{ role: 'entity', identifier: thing }],
          kind: 'Honest',
        });
        await put([claim], first);
        await put([claim, before], second);
        expect(await put([honest], first)).toEqual(counted({ joined: 1 }));
        expect(await graphsOf(unverified, claim)).toBeUndefined();
        expect(await graphsOf(verified, honest)).toEqual([first, second]);
        expect(await names(verified, ofGraph(second))).toEqual(texts([honest, before]));
        expect(await textsAt(verified, first)).toEqual([`${own} claim`]);
        const [found] = await verified.whole([honest.jcsCid]);
        expect(found && plain({ ...found, memberships: undefined })).toEqual(plain(honest));
        for (const list of [
          ofGraph(first),
          referringTo(thing, otherPlaces),
          { by: 'kind', kind: 'Forged' },
        ] as const)
          expect(await names(unverified, list)).toEqual([]);
        expect(await unverified.referring([thing], null, 9)).toEqual([[]]);
        expect(await marksOf(unverified, second)).toEqual([]);
        expect(await put([honest], second)).toEqual(counted({ known: 1 }));
        expect(await put([claim], first)).toEqual(counted({ known: 1 }));
      });

      test('unless the verified row is there: then that joins the graph', async () => {
        const honest = about('claim');
        await put([honest], first);
        expect(await put([forged('claim', { kind: 'Forged', meaning: `forged ${own}` })], second)).toEqual(
          counted({ joined: 1 }),
        );
        expect(await graphsOf(verified, honest)).toEqual([first, second]);
        expect(await graphsOf(unverified, honest)).toBeUndefined();
        expect(await names(unverified, ofGraph(second))).toEqual([]);
        expect(await textsAt(verified, second)).toEqual([`${own} claim`]);
      });

      test('and the first stored content of a row', async () => {
        const [one, other] = [forged('claim', { kind: 'One' }), forged('claim', { kind: 'Other' })];
        expect(await put([one], first)).toEqual(counted({ stored: 1 }));
        expect(await put([other], second)).toEqual(counted({ joined: 1 }));
        expect(await put([other], second)).toEqual(counted({ known: 1 }));
        expect((await unverified.whole([one.jcsCid])).map((found) => found?.kind)).toEqual(['One']);
        expect(await graphsOf(unverified, one)).toEqual([first, second]);
      });
    });

    describe('when rows are stored', () => {
      test('treats each row of a batch as if it were alone', async () => {
        const [a, b] = [about('a'), about('b')];
        const batch = [forged('a'), a, a, forged('a'), forged('b'), forged('b'), b];
        expect(await put(batch, first)).toEqual(counted({ stored: 2, joined: 2, known: 3 }));
        expect(await names(verified, ofGraph(first))).toEqual(texts([b, a]));
        expect(await names(unverified, ofGraph(first))).toEqual([]);
        expect(await put([a, about('c'), a], second)).toEqual(counted({ stored: 1, joined: 1, known: 1 }));
        expect(await put([a], null)).toEqual(counted({ known: 1 }));
      });

      test('stores nothing under an unknown graph', async () => {
        for (const rows of [[about('lost'), forged('lost too')], []])
          await expect(put(rows, `none ${own}`)).rejects.toMatchObject({ code: 'unknown_graph' });
        expect(await verified.whole([about('lost').jcsCid])).toEqual([undefined]);
        expect(await unverified.whole([forged('lost too').jcsCid])).toEqual([undefined]);
      });

      test('keeps unverified rows that are in no graph', async () => {
        expect(await put([forged('homeless')], null)).toEqual(counted({ stored: 1 }));
        expect(await graphsOf(unverified, forged('homeless'))).toEqual([]);
        expect(await put([forged('homeless')], first)).toEqual(counted({ joined: 1 }));
        expect(await names(unverified, ofGraph(first))).toEqual(texts([forged('homeless')]));
      });
    });

    describe('while a graph is imported', () => {
      test('shows nothing of it until it is published', async () => {
        const graph = newGraph();
        const coming = await store.graphImports.begin(graph.projectId);
        const [shared, honest, other] = [about('shared'), about('honest'), forged('forged')];
        await put([shared], first);
        expect(await coming.put([shared, honest, other])).toEqual(counted({ stored: 2, joined: 1 }));
        const lists: StatementList[] = [
          ofGraph(graph.graphId),
          { by: 'projects', projects: [graph.projectId] },
        ];
        for (const list of lists)
          for (const rows of [verified, unverified]) expect(await names(rows, list)).toEqual([]);
        expect(await graphsOf(verified, shared)).toEqual([first]);
        expect(await graphsOf(verified, honest)).toEqual([]);
        expect(await marksOf(verified, graph.graphId)).toEqual([]);
        expect(await store.graphReads.visible([graph.graphId], everythingVisible)).toEqual([]);
        expect(await coming.publish(graph, noAttachments)).toBe('added');
        for (const list of lists) {
          expect(await names(verified, list)).toEqual(texts([honest, shared]));
          expect(await names(unverified, list)).toEqual(texts([other]));
        }
        expect(await graphsOf(verified, shared)).toEqual([first, graph.graphId]);
        expect(await marksOf(verified, graph.graphId)).toHaveLength(2);
        expect(await textsAt(unverified, graph.graphId)).toEqual([`${own} forged`]);
      });

      test('verifies its rows, and adds known ones to its graph', async () => {
        const graph = newGraph();
        const coming = await store.graphImports.begin(graph.projectId);
        await coming.put([forged('claim'), forged('other')]);
        expect(await put([about('claim')], first)).toEqual(counted({ joined: 1 }));
        expect(await graphsOf(verified, about('claim'))).toEqual([first]);
        await coming.publish(graph, noAttachments);
        expect(new Set(await graphsOf(verified, about('claim')))).toEqual(new Set([first, graph.graphId]));
        expect(await names(verified, ofGraph(graph.graphId))).toEqual(texts([about('claim')]));
        expect(await names(unverified, ofGraph(graph.graphId))).toEqual(texts([forged('other')]));
      });

      test('removes unverified rows that are in no other graph when it is abandoned', async () => {
        const coming = await store.graphImports.begin(own);
        const [shared, lost, honest] = [forged('shared'), forged('lost'), about('honest')];
        await put([shared], first);
        await coming.put([shared, lost, honest]);
        await coming.abandon();
        expect(await graphsOf(unverified, shared)).toEqual([first]);
        expect(await graphsOf(unverified, lost)).toBeUndefined();
        expect(await graphsOf(verified, honest)).toEqual([]);
        expect(await names(unverified, referringTo(thing, inData))).toEqual(texts([shared]));
        expect(await put([lost], first)).toEqual(counted({ stored: 1 }));
      });
    });

    test('lists the visible graphs in the order of registration', async () => {
      const graphs = [newGraph(), { ...newGraph(), projectId: first }];
      for (const graph of graphs) await addGraph(graph);
      const [third, fourth] = graphs.map(({ graphId }) => graphId) as [string, string];
      const visible = (graphIds: string[] | null, ...projects: string[]) =>
        store.graphReads.visible(graphIds, { projects: new Set(projects) });
      expect(await visible(null, third, first, 'none')).toEqual([first, third, fourth]);
      expect(await visible([fourth, second, 'none', fourth, first], first)).toEqual([first, fourth]);
      expect(await visible([], first)).toEqual([]);
      expect(await visible(null)).toEqual([]);
      const all = await store.graphReads.visible(null, everythingVisible);
      expect(all.slice(-4)).toEqual([first, second, third, fourth]);
    });

    test('returns the attachments of graphs, in their order', async () => {
      const bring = async (name: string) => {
        const graph = newGraph();
        const coming = await store.graphImports.begin(graph.projectId);
        await coming.publish(graph, {
          contexts: [{ url: `urn:x:${name}`, cid: name }],
          anchors: [name, 'anchor'],
        });
        return graph.graphId;
      };
      const [one, other] = [await bring('one'), await bring('other')];
      expect(await store.graphReads.attachments([one, first, other])).toEqual({
        contexts: ['one', 'other'].map((name) => ({ url: `urn:x:${name}`, cid: name })),
        anchors: ['one', 'anchor', 'other', 'anchor'],
      });
      expect(await store.graphReads.attachments([])).toEqual(noAttachments);
    });

    test('answers like rows in memory for any writes', async () => {
      let tried = 0;
      await fc.assert(
        fc.asyncProperty(fc.array(steps, { maxLength: 8 }), async (history) => {
          tried += 1;
          const run = `${own} ${tried}`;
          const model = new RowsInMemory();
          const graphs = [newGraph(), newGraph(), newGraph()].map((graph, at) =>
            at === 2 ? { ...graph, projectId: run } : { ...graph, projectId: graph.graphId },
          );
          for (const graph of graphs.slice(0, 2))
            for (const each of [store, model]) await each.graphs.add(graph);
          const imports = await Promise.all([store, model].map((each) => each.graphImports.begin(run)));
          for (const { rows, graph } of history) {
            const given = rows.map((said) => saidRow(run, said));
            const outcomes =
              graph === 2
                ? await Promise.all(imports.map((coming) => coming.put(given)))
                : [store, model].map((each) =>
                    each.statements.putMany(given, graphs[graph]?.graphId ?? null),
                  );
            const [found, expected] = await Promise.all(outcomes);
            expect(found).toEqual(expected);
          }
          const end = tried % 3;
          const last = graphs[2] as Graph;
          if (end === 0) for (const coming of imports) await coming.publish(last, noAttachments);
          if (end === 1) for (const coming of imports) await coming.abandon();
          for (const sort of ['verified', 'unverified'] as const) {
            const [found, expected] = [rowsOf(store)[sort], model.rows[sort]];
            for (const list of listsOf(run, graphs))
              expect(await walk(found, list, 1 + (tried % 4)), `${sort} ${JSON.stringify(list)}`).toEqual(
                await walk(expected, list, 1_000),
              );
            const identifiers = thingsOf(run);
            for (const places of [null, [inData], [inEntity, otherPlaces]]) {
              const answers = await found.referring(identifiers, places, 64);
              const wanted = await expected.referring(identifiers, places, 64);
              const meant = answers.map((rows, at) =>
                rows?.filter((each) => isAt(each, identifiers[at] ?? '', places)).map(referrer),
              );
              expect(meant).toEqual(wanted.map((rows) => rows?.map(referrer)));
            }
            for (const { graphId } of graphs) {
              const [rows, wanted] = await Promise.all(
                [found, expected].map(async (each) => each.atMarks(await marksOf(each, graphId, 3))),
              );
              expect(rows?.map((each) => each && plain(each))).toEqual(
                wanted?.map((each) => each && plain(each)),
              );
            }
          }
          if (end === 2) for (const coming of imports) await coming.abandon();
        }),
        { numRuns: runs(40) },
      );
    });
  });
}

const kinds = ['DataRegistration', 'EntityRegistration', 'https://example.org/Kind'];
const said = fc.record({
  name: fc.nat({ max: 8 }),
  isTrusted: fc.boolean(),
  lie: fc.nat({ max: 1 }),
});
const steps = fc.record({ graph: fc.nat({ max: 3 }), rows: fc.array(said, { maxLength: 6 }) });

/** What a verified row says follows from its bytes. */
function saidRow(
  run: string,
  { name, isTrusted, lie }: typeof said extends fc.Arbitrary<infer T> ? T : never,
) {
  const meant = isTrusted ? name : name + lie;
  const [one = '', other = ''] = thingsOf(run);
  const references = [
    { role: ['data', 'entity', 'odd'][meant % 3] ?? '', identifier: one },
    { role: 'data', identifier: meant % 2 ? one : other },
  ];
  const kind = `${kinds[meant % 3]}${meant % 3 === 2 ? run : ''}`;
  const time = meant % 4 === 0 ? null : timeOf(run) + (meant % 3);
  return row(`${run} ${name}`, { kind, references, isTrusted, time, meaning: `${run} ${meant % 5}` });
}

function thingsOf(run: string): string[] {
  return ['one', 'other', 'none'].map((name) => `urn:x:${run}:${name}`);
}

/** The beginning of a span of time that no other run has. */
function timeOf(run: string): number {
  return Number.parseInt(digestHex(cidOf(codecs.raw, run)).slice(0, 10), 16);
}

function listsOf(run: string, graphs: readonly Graph[]): StatementList[] {
  const places = [[inData], [inEntity], [otherPlaces], [inData, inEntity, otherPlaces]];
  return [
    { by: 'kind', kind: `${kinds[2]}${run}` },
    { by: 'time', from: timeOf(run), until: timeOf(run) + 3 },
    { by: 'time', from: timeOf(run) + 1, until: timeOf(run) + 2 },
    ...graphs.map(({ graphId }): StatementList => ({ by: 'graph', graphId })),
    { by: 'projects', projects: graphs.map(({ projectId }) => projectId) },
    { by: 'projects', projects: graphs.slice(1).map(({ projectId }) => projectId) },
    ...[0, 1, 2, 3, 4].map(
      (name): StatementList => ({ by: 'id', rdfcCid: cidOf(codecs.rdfc, `${run} ${name}`) }),
    ),
    ...thingsOf(run).flatMap((identifier) =>
      places.map((each): StatementList => ({ by: 'reference', identifier, places: each })),
    ),
  ];
}

function newGraph(): Graph {
  const graphId = randomUUID();
  return { graphId, name: `name of ${graphId}`, parentId: null, projectId: graphId };
}

function texts(rows: readonly Pick<StatementRow, 'jcsCid'>[]): string[] {
  return rows.map(({ jcsCid }) => jcsCid.text);
}

async function names(rows: StatementRows, list: StatementList, limit = 100): Promise<string[]> {
  return (await pagesOf(rows, list, limit)).map(({ jcsCid }) => jcsCid.text);
}

async function walk(rows: StatementRows, list: StatementList, limit: number) {
  return (await pagesOf(rows, list, limit)).map(plain);
}

async function pagesOf(rows: StatementRows, list: StatementList, limit: number): Promise<ListedStatement[]> {
  const found: ListedStatement[] = [];
  let after: string | null = null;
  do {
    const page = await rows.page(list, after, limit);
    expect(page.rows.length).toBeLessThanOrEqual(limit);
    if (page.next !== null) expect(page.rows.length).toBeGreaterThan(0);
    found.push(...page.rows);
    after = page.next;
  } while (after !== null);
  return found;
}

function rowsOf({ rows, snapshot }: StoreOfRows): BySort<Rows> {
  const ofSort = (sort: keyof BySort<Rows>): Rows => ({
    ...rows[sort],
    async contents(...asked) {
      await using now = await snapshot();
      return await now.rows[sort].contents(...asked);
    },
    async atMarks(marks) {
      await using now = await snapshot();
      return await now.rows[sort].atMarks(marks);
    },
  });
  return { verified: ofSort('verified'), unverified: ofSort('unverified') };
}

async function marksOf(rows: OrderedRows, graphId: string, limit = 1_000): Promise<string[]> {
  const found: string[] = [];
  for (;;) {
    const marks = await rows.contents(graphId, found.at(-1) ?? null, limit);
    found.push(...marks);
    if (marks.length < limit) return found;
  }
}

/** Whether a row refers to an identifier from one of these places. */
function isAt(
  { kind, references }: ReferringRow,
  identifier: string,
  places: readonly number[] | null,
): boolean {
  return references.some(
    (it) => it.identifier === identifier && (places?.includes(placeNumber({ ...it, kind })) ?? true),
  );
}

/** For comparison, without what a store may say besides. */
function referrer({
  rdfcCid,
  jcsCid,
  kind,
  references,
  isTrusted,
  associationType,
  memberships,
}: ReferringRow) {
  const names = [rdfcCid.text, jcsCid.text];
  return { names, kind, references, isTrusted, associationType, memberships };
}

type Told = Pick<StatementRow, 'rdfcCid' | 'jcsCid'> & Partial<ListedStatement>;

/** For comparison: a store may have more fields, and give its bytes as a Buffer. */
function plain({ rdfcCid, jcsCid, jcs, kind, references, isTrusted, time, contextSet, memberships }: Told) {
  const told = { kind, references, isTrusted, time, contextSet, memberships };
  const text = jcs && Buffer.from(jcs).toString();
  return { rdfcCid: rdfcCid.text, jcsCid: jcsCid.text, text, ...told };
}
