import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { everythingVisible, type Visibility } from '../../src/domain/access/visibility.ts';
import type {
  GraphStore,
  StatementFilter,
  StatementPage,
  StatementRow,
  StatementScope,
  StatementStore,
} from '../../src/domain/integrity/ports.ts';
import { otherPlaces, placeNumber } from '../../src/domain/integrity/statements/places.ts';
import type { ReferringQuery, StatementIndex } from '../../src/domain/integrity/statements/questions.ts';
import { newGraph } from '../builders/graphs.ts';
import { row } from '../builders/rows.ts';

interface Stores extends AsyncDisposable {
  readonly statements: StatementStore;
  readonly statementIndex: StatementIndex;
  readonly graphs: GraphStore;
}

const inData = placeNumber({ role: 'data', kind: 'DataRegistration' });
const inSubject = placeNumber({ role: 'subject', kind: 'MetadataRegistration' });

const all: StatementScope = { graphId: null, visibility: everythingVisible };
const noFilter: StatementFilter = { kind: null, subject: null, registeredBy: null, from: null, until: null };

/** What every StatementIndex does. It is left empty or filled: each test has names of its own. */
export function statementIndexContract(open: () => Promise<Stores>): void {
  describe('a statement index', () => {
    let stores: Stores;
    let index: StatementIndex;
    /** What makes names unlike those of other tests. */
    let own: string;
    let first: string;
    let second: string;
    let thing: string;

    beforeAll(async () => {
      stores = await open();
      index = stores.statementIndex;
    });
    afterAll(async () => {
      await stores[Symbol.asyncDispose]();
    });
    beforeEach(async () => {
      own = randomUUID();
      thing = `urn:uuid:${own}`;
      first = await addGraph(`first ${own}`);
      second = await addGraph(`second ${own}`);
    });

    /** A root graph that is a project of its own. */
    async function addGraph(graphId: string): Promise<string> {
      await stores.graphs.add(newGraph({ graphId }));
      return graphId;
    }

    const named = (text: string, fields?: Parameters<typeof row>[1]) => row(`${own} ${text}`, fields);
    const about = (text: string, fields: Parameters<typeof row>[1] = {}, role = 'data') =>
      named(text, { references: [{ role, identifier: thing }], ...fields });
    const many = (count: number, make: (text: string) => StatementRow) =>
      Array.from({ length: count }, (_, at) => make(`many ${at}`));
    const put = (rows: readonly StatementRow[], graphId: string | null) =>
      stores.statements.putMany(rows, graphId);

    async function referring(fields: Partial<ReferringQuery> = {}, scope = all) {
      const places = [{ place: inData, limit: 10 }];
      const query = { identifiers: [thing], places, most: 1_000, ...fields };
      const answers = await index.referringTo(query, scope);
      return answers.map(({ found, isCut }) => ({
        found: found.map(({ role, statement }) => `${role} ${statement.rdfcCid.text}`),
        isCut,
      }));
    }
    const data = (...rows: StatementRow[]) => rows.map(({ rdfcCid }) => `data ${rdfcCid.text}`);

    test('continues a list of references although the last row has moved', async () => {
      const forged = about('claim', { isTrusted: false });
      const other = about('other', { kind: 'StorageRegistration', isTrusted: false });
      await stores.statements.putMany([forged, other], first);
      const page = async (after: string | null) => {
        const scope = { graphId: first, visibility: everythingVisible };
        const { references, next } = await index.references([thing], { after, limit: 1 }, scope);
        return { found: references.map(({ statement }) => statement.jcsCid.text), next };
      };
      const { found, next = null } = await page(null);
      expect(found).toEqual([forged.jcsCid.text]);
      await stores.statements.putMany([about('claim')], first);
      const rest = await page(next);
      expect(rest.found).toEqual([other.jcsCid.text]);
      expect((await page(rest.next ?? null)).found).toEqual([forged.jcsCid.text]);
    });
    describe('asked what refers to several things', () => {
      test('answers for each of them, newest first, from the given places', async () => {
        const other = `urn:uuid:${randomUUID()}`;
        const [a, b] = [about('a'), about('b')];
        const elsewhere = about('elsewhere', { references: [{ role: 'data', identifier: other }] });
        await put(
          [a, elsewhere, b, about('subject', {}, 'subject'), about('kind', { kind: 'Other' })],
          first,
        );
        expect(await referring({ identifiers: [other, thing, 'did:web:nobody'] })).toEqual([
          { found: data(elsewhere), isCut: false },
          { found: data(b, a), isCut: false },
          { found: [], isCut: false },
        ]);
      });

      test('returns the parts of a statement that a traversal needs', async () => {
        const references = [
          { role: 'subject', identifier: thing },
          { role: 'association', identifier: 'did:web:b' },
        ];
        const kind = 'AssociationRegistration';
        const given = row(JSON.stringify({ own, type: 'includes' }), { kind, references, time: 5 });
        const untyped = row(JSON.stringify({ own, type: 'x'.repeat(101) }), { kind, references });
        await put([untyped, given], first);
        const places = [{ place: placeNumber({ role: 'subject', kind }), limit: 10 }];
        const [answer] = await index.referringTo({ identifiers: [thing], places, most: 10 }, all);
        expect(answer?.found.map(({ statement }) => statement)).toMatchObject([
          { kind, references, time: 5, isTrusted: true, associationType: 'includes' },
          { kind, references, time: null, isTrusted: true, associationType: null },
        ]);
        expect(answer?.found.map(({ statement }) => statement.rdfcCid.text)).toEqual(
          [given, untyped].map(({ rdfcCid }) => rdfcCid.text),
        );
      });

      test.each([5, 500])('tells that a place has more than was asked for, of %i', async (count) => {
        const rows = many(count, about);
        await put(rows, first);
        const places = [
          { place: inData, limit: 3 },
          { place: inSubject, limit: 3 },
        ];
        const subject = about('subject', { kind: 'MetadataRegistration' }, 'subject');
        await put([subject], first);
        expect(await referring({ places })).toEqual([
          {
            found: [...data(...rows.slice(-3).reverse()), `subject ${subject.rdfcCid.text}`],
            isCut: true,
          },
        ]);
        const enough = places.map((place) => ({ ...place, limit: count }));
        expect((await referring({ places: enough }))[0]).toMatchObject({ isCut: false });
      });

      test('keeps the limit for all things together', async () => {
        const other = `urn:uuid:${randomUUID()}`;
        await put(many(4, about), first);
        await put([about('other', { references: [{ role: 'data', identifier: other }] })], first);
        const answers = await referring({ identifiers: [thing, other], most: 4 });
        expect(answers.map(({ found, isCut }) => [found.length, isCut])).toEqual([
          [4, false],
          [0, true],
        ]);
      });

      test('stops reading statements with very many references', async () => {
        const others = Array.from({ length: 1_000 }, (_, at) => ({
          role: 'data',
          identifier: `urn:x:${own} ${at}`,
        }));
        const references = [{ role: 'data', identifier: thing }, ...others];
        const rows = Array.from({ length: 10 }, (_, at) => named(`large ${at}`, { references }));
        await put(rows, first);
        const [answer] = await referring({ most: 20 });
        expect(answer?.isCut).toBe(true);
        expect(answer?.found.length).toBeGreaterThan(0);
        expect(answer?.found.length).toBeLessThan(10);
      });

      test.each([1, 200])('finds statements of foreign kinds, among %i', async (count) => {
        await put(many(count, about), first);
        const foreign = about('foreign', { kind: 'https://example.org/Kind' }, 'odd role');
        await put([foreign], first);
        expect(await referring({ places: [{ place: otherPlaces, limit: 5 }] })).toEqual([
          { found: [`odd role ${foreign.rdfcCid.text}`], isCut: false },
        ]);
      });

      test.each([1, 80])('shows a reader their own although others have %i', async (count) => {
        await put(
          many(count, (text) => about(text, { kind: `https://example.org/${text}` })),
          first,
        );
        const mine = about('mine', { kind: 'https://example.org/zzz' });
        await put([mine], second);
        const places = [{ place: otherPlaces, limit: 5 }];
        const strangers = Array.from({ length: 300 }, () => randomUUID());
        for (const visibility of [only(second), only(second, ...strangers)])
          for (const graphId of [null, second])
            expect(await referring({ places }, { graphId, visibility })).toEqual([
              { found: data(mine), isCut: false },
            ]);
      });

      test.each([1, 300])('leaps over %i statements of others', async (count) => {
        const mine = [about('mine 1'), about('mine 2')];
        await put(mine.slice(0, 1), second);
        await put(many(count, about), first);
        await put(mine.slice(1), second);
        for (const scope of [
          { graphId: second, visibility: everythingVisible },
          { graphId: second, visibility: only(second) },
          { graphId: null, visibility: only(second) },
          { graphId: null, visibility: only(second, ...Array.from({ length: 300 }, () => randomUUID())) },
        ])
          expect(await referring({}, scope)).toEqual([{ found: data(...mine.toReversed()), isCut: false }]);
        for (const scope of [
          { graphId: second, visibility: only(first) },
          { graphId: `none ${own}`, visibility: everythingVisible },
          { graphId: null, visibility: only() },
        ])
          expect(await referring({}, scope)).toEqual([{ found: [], isCut: false }]);
      });

      test('shows unverified statements only in their graph', async () => {
        const forged = about('forged', { isTrusted: false });
        await put([forged], first);
        expect(await referring()).toEqual([{ found: [], isCut: false }]);
        expect(await referring({}, inGraph(second))).toEqual([{ found: [], isCut: false }]);
        expect(await referring({}, inGraph(first))).toEqual([{ found: data(forged), isCut: false }]);
      });

      test('drops the references of an unverified row when a verified one replaces it', async () => {
        await put([about('claim', { isTrusted: false })], first);
        const honest = named('claim', {
          kind: 'MetadataRegistration',
          references: [{ role: 'subject', identifier: thing }],
        });
        await put([honest], first);
        expect(await referring({}, inGraph(first))).toEqual([{ found: [], isCut: false }]);
        const places = [{ place: inSubject, limit: 9 }];
        const [answer] = await referring({ places });
        expect(answer?.found).toEqual([`subject ${honest.rdfcCid.text}`]);
      });
    });

    describe('asked for the references to a thing', () => {
      async function listed(limit: number, scope = all): Promise<string[]> {
        const found: string[] = [];
        let after: string | null = null;
        do {
          const page = await index.references([thing], { after, limit }, scope);
          expect(page.references.length).toBeLessThanOrEqual(limit);
          found.push(...page.references.map(({ role, statement }) => `${role} ${statement.jcsCid.text}`));
          after = page.next ?? null;
        } while (after !== null);
        return found;
      }
      const names = (role: string, ...rows: StatementRow[]) =>
        rows.map(({ jcsCid }) => `${role} ${jcsCid.text}`);

      test('lists them by place, newest first, in pages of any size', async () => {
        const rows = many(5, about);
        const both = named('both', {
          references: ['payload', 'data'].map((role) => ({ role, identifier: thing })),
        });
        const storage = about('storage', { kind: 'StorageRegistration' });
        await put([...rows, storage, both, about('hidden', { isTrusted: false })], first);
        const expected = [...names('data', both, ...rows.toReversed(), storage), ...names('payload', both)];
        for (const limit of [1, 2, 3, 7, 8, 9, 100]) expect(await listed(limit)).toEqual(expected);
        expect(await listed(3, inGraph(first))).toHaveLength(9);
        expect(await listed(3, { graphId: null, visibility: only(second) })).toEqual([]);
      });

      test('shows readers only their own statements and graphs', async () => {
        const [shared, hidden] = [about('shared'), about('not shared')];
        await put([shared, hidden], first);
        await put([shared], second);
        const scope = { graphId: null, visibility: only(second) };
        const { references } = await index.references([thing], { after: null, limit: 9 }, scope);
        expect(references.map(({ statement }) => [statement.jcsCid.text, statement.graphIds])).toEqual([
          [shared.jcsCid.text, [second]],
        ]);
      });

      test('continues after a page although statements were added', async () => {
        const rows = many(3, about);
        await put(rows, first);
        const { next } = await index.references([thing], { after: null, limit: 2 }, all);
        await put([about('later')], first);
        const page = await index.references([thing], { after: String(next), limit: 9 }, all);
        expect(page.references.map(({ statement }) => statement.jcsCid.text)).toEqual([rows[0]?.jcsCid.text]);
      });

      test('refuses cursors of other lists', async () => {
        await put(many(3, about), first);
        const { next } = await index.references([thing], { after: null, limit: 1 }, all);
        for (const after of madeUp(String(next)))
          await expect(index.references([thing], { after, limit: 1 }, all), after).rejects.toMatchObject({
            code: 'invalid_request',
          });
        const elsewhere = index.references([`${thing}0`], { after: String(next), limit: 1 }, all);
        await expect(elsewhere).rejects.toMatchObject({ code: 'invalid_request' });
      });
    });

    describe('asked for the forms of a statement', () => {
      test('lists the visible ones, oldest first', async () => {
        const forms = many(5, (text) => named(text, { meaning: own }));
        const [forged, others] = [
          named('forged', { meaning: own, isTrusted: false }),
          named('others', { meaning: own }),
        ];
        await put([forged, ...forms], first);
        await put([others], second);
        const { rdfcCid } = others;
        const listed = async (limit: number, scope: StatementScope) => {
          const found: string[] = [];
          let page: StatementPage | undefined;
          do {
            page = await index.forms(rdfcCid, { after: page?.next ?? null, limit }, scope);
            found.push(...page.statements.map(({ jcsCid }) => jcsCid.text));
          } while (page.next !== undefined);
          return found;
        };
        const texts = (...rows: StatementRow[]) => rows.map(({ jcsCid }) => jcsCid.text);
        for (const limit of [1, 2, 6, 100]) {
          expect(await listed(limit, all)).toEqual(texts(...forms, others));
          expect(await listed(limit, inGraph(first))).toEqual(texts(forged, ...forms));
          expect(await listed(limit, { graphId: null, visibility: only(second) })).toEqual(texts(others));
        }
      });

      test('lists them in the order in which their writes started', async () => {
        const forms = many(40, (text) => named(text, { meaning: own }));
        await Promise.all(forms.map((form, at) => put([form], at % 3 === 0 ? second : first)));
        const [{ rdfcCid } = named('none')] = forms;
        const { statements } = await index.forms(rdfcCid, { after: null, limit: 100 }, all);
        expect(statements.map(({ jcsCid }) => jcsCid.text)).toEqual(forms.map(({ jcsCid }) => jcsCid.text));
      });

      test('finds one form by its id, an unverified one only in its graph', async () => {
        const [given, forged] = [named('given'), named('forged', { isTrusted: false })];
        await put([given, forged], first);
        const isThere = async ({ jcsCid }: StatementRow, scope: StatementScope) =>
          (await index.form(jcsCid, scope)) !== undefined;
        expect(await isThere(given, all)).toBe(true);
        expect(await isThere(forged, all)).toBe(false);
        expect(await isThere(forged, inGraph(first))).toBe(true);
        expect(await isThere(given, inGraph(second))).toBe(false);
        expect(await isThere(given, { graphId: null, visibility: only(second) })).toBe(false);
        expect(await isThere(named('unknown'), all)).toBe(false);
      });
    });

    describe('searched', () => {
      async function found(filter: Partial<StatementFilter>, scope: StatementScope, limit = 100) {
        const texts: string[] = [];
        let page: StatementPage | undefined;
        do {
          const after = page?.next ?? null;
          page = await index.search({ ...noFilter, ...filter }, { after, limit }, scope);
          expect(page.statements.length).toBeLessThanOrEqual(limit);
          texts.push(...page.statements.map(({ jcsCid }) => jcsCid.text));
        } while (page.next !== undefined);
        return texts;
      }

      test('finds a statement as soon as its write is acknowledged, newest first', async () => {
        const stored: string[] = [];
        for (const each of many(20, about)) {
          await put([each], first);
          stored.unshift(each.jcsCid.text);
          expect(await found({}, inGraph(first), 7)).toEqual(stored);
        }
      });

      test('returns whole statements', async () => {
        const given = about('whole', { time: 1_234 });
        await put([given], first);
        const { statements } = await index.search(noFilter, { after: null, limit: 1 }, inGraph(first));
        expect(statements[0]).toMatchObject({ kind: given.kind, time: 1_234, graphIds: [first] });
        expect(Buffer.from(statements[0]?.jcs ?? [])).toEqual(Buffer.from(given.jcs));
      });

      test('returns large statements in small pages', async () => {
        const rows = Array.from({ length: 24 }, (_, at) => row(`${own} ${at}`.padEnd(1 << 20)));
        await put(rows, first);
        const { statements } = await index.search(noFilter, { after: null, limit: 100 }, inGraph(first));
        expect(statements.length).toBeLessThan(24);
        expect(await found({}, inGraph(first))).toEqual(rows.map(({ jcsCid }) => jcsCid.text).toReversed());
      });

      test('finds the few of a time range among many', async () => {
        const rows = Array.from({ length: 5_000 }, (_, time) => about(`at ${time}`, { time }));
        await put(rows, first);
        const expected = rows.slice(1_500, 1_510).map(({ jcsCid }) => jcsCid.text);
        const span = { from: 1_500, until: 1_510 };
        for (const scope of [inGraph(first), { graphId: null, visibility: only(first) }])
          expect(await found(span, scope, 3)).toEqual(expected.toReversed());
        expect(await found({ ...span, subject: thing }, all)).toEqual([]);
      });

      test('refuses cursors of other searches', async () => {
        await put(many(3, about), first);
        const page = (after: string) => ({ after, limit: 1 });
        const { next } = await index.search(noFilter, { after: null, limit: 1 }, inGraph(first));
        for (const after of madeUp(String(next)))
          await expect(index.search(noFilter, page(after), inGraph(first)), after).rejects.toMatchObject({
            code: 'invalid_request',
          });
        const other = index.search({ ...noFilter, kind: 'x' }, page(String(next)), inGraph(first));
        await expect(other).rejects.toMatchObject({ code: 'invalid_request' });
        await expect(index.search(noFilter, page(String(next)), all)).rejects.toMatchObject({
          code: 'invalid_request',
        });
      });
    });
  });
}

function only(...projects: string[]): Visibility {
  return { projects: new Set(projects) };
}

function inGraph(graphId: string): StatementScope {
  return { graphId, visibility: everythingVisible };
}

/** Cursors that resemble a real one. */
function madeUp(next: string): string[] {
  const other = next.replace(/.$/, (last) => (last === 'A' ? 'B' : 'A'));
  return ['', 'x', '0', '-1', "' OR 1=1", `${next}0`, ` ${next}`, next.slice(1), other, 'g'.repeat(100_000)];
}
