import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { everythingVisible, type Visibility } from '../../src/domain/access/visibility.ts';
import { codecs, makeCid } from '../../src/domain/integrity/identifiers/cid.ts';
import type { GraphStore, StatementRow, StatementStore } from '../../src/domain/integrity/ports.ts';
import { newGraph } from '../builders/graphs.ts';
import { counted, totalOf } from '../builders/put-counts.ts';
import { row } from '../builders/rows.ts';

interface Stores extends AsyncDisposable {
  readonly statements: StatementStore;
  readonly graphs: GraphStore;
}

/** What every StatementStore does. It is left empty or filled: each test has names of its own. */
export function statementStoreContract(open: () => Promise<Stores>): void {
  describe('a statement store', () => {
    let stores: Stores;
    let statements: StatementStore;
    /** What makes names unlike those of other tests. */
    let own: string;
    let first: string;
    let second: string;

    beforeAll(async () => {
      stores = await open();
      statements = stores.statements;
    });
    afterAll(async () => {
      await stores[Symbol.asyncDispose]();
    });
    beforeEach(async () => {
      own = randomUUID();
      first = await addGraph(`first ${own}`);
      second = await addGraph(`second ${own}`);
    });

    /** A root graph that is a project of its own. */
    async function addGraph(graphId: string): Promise<string> {
      await stores.graphs.add(newGraph({ graphId }));
      return graphId;
    }

    async function countIn(graphId: string): Promise<number | undefined> {
      return (await stores.graphs.statementCounts([graphId], 10_000))[0];
    }

    const named = (text: string, fields?: Parameters<typeof row>[1]) => row(`${own} ${text}`, fields);

    test('counts the statements of graphs and those in no graph, up to a bound', async () => {
      const counts = async (most: number) => await stores.graphs.statementCounts([first, second, null], most);
      const [, , before = 0] = await counts(1_000_000);
      await statements.putMany([named('a'), named('b'), named('shared')], first);
      await statements.putMany([named('c'), named('d'), named('shared')], null);
      await statements.putMany([named('shared'), named('unverified', { isTrusted: false })], second);
      expect(await counts(1_000_000)).toEqual([3, 2, before + 2]);
      expect(await counts(1)).toEqual([2, 2, 2]);
      expect(await stores.graphs.statementCounts([randomUUID()], 1)).toEqual([0]);
    });

    test('returns statements by either CID', async () => {
      const given = named('whole', {
        meaning: `meaning of ${own}`,
        kind: 'ComputationRegistration',
        references: [
          { role: 'input', identifier: 'urn:cid:bafkqaaa' },
          { role: 'output', identifier: `urn:uuid:${own}` },
        ],
      });
      await statements.putMany([given], first);
      const expected = { ...given, jcs: Buffer.from(given.jcs), graphIds: [first] };
      for (const found of [
        await statements.byJcsCid(given.jcsCid, everythingVisible),
        await statements.byRdfcCid(given.rdfcCid, everythingVisible),
      ])
        expect(found && plain(found)).toEqual(plain(expected));
    });

    test('knows who stored a verified row first', async () => {
      const [a, b, c, hidden] = [named('a'), named('b'), named('c'), named('hidden', { isTrusted: false })];
      await statements.putMany([a], first, 'ada');
      await statements.putMany([a, b, hidden], second, 'bob');
      await statements.putMany([c], null);
      const { jcsCid: unknown } = named('unknown');
      const rows = [a, b, c, hidden].map(({ jcsCid }) => jcsCid);
      const registrars = await Promise.all([...rows, unknown].map((cid) => statements.registrarOf(cid)));
      expect(registrars).toEqual(['ada', 'bob', null, null, null]);
    });

    test('counts new, joined and known rows', async () => {
      const [a, b] = [named('a'), named('b')];
      expect(await statements.putMany([a, a, b], first)).toEqual(counted({ stored: 2, known: 1 }));
      expect(await statements.putMany([b, named('c'), a], second)).toEqual(counted({ stored: 1, joined: 2 }));
      expect(await statements.putMany([a, b], first)).toEqual(counted({ known: 2 }));
      expect(await statements.putMany([a], null)).toEqual(counted({ known: 1 }));
      expect(await countIn(first)).toBe(2);
      expect(await countIn(second)).toBe(3);
    });

    test('stores nothing at all under an unknown graph', async () => {
      const given = named('lost');
      await expect(statements.putMany([given], `none ${own}`)).rejects.toMatchObject({
        code: 'unknown_graph',
      });
      expect(await statements.byJcsCid(given.jcsCid, everythingVisible)).toBeUndefined();
    });

    test('accepts an empty batch', async () => {
      expect(await statements.putMany([], first)).toEqual(counted({}));
      await expect(statements.putMany([], `none ${own}`)).rejects.toMatchObject({ code: 'unknown_graph' });
    });

    test('accepts rows whose bytes are parts of one larger buffer', async () => {
      const bytes = Buffer.from(`before${own}after`);
      const jcs = new Uint8Array(bytes.buffer, bytes.byteOffset + 6, own.length);
      const given = { ...row(own), jcs };
      await statements.putMany([given, named('other')], first);
      const found = await statements.byJcsCid(given.jcsCid, everythingVisible);
      expect(Buffer.from(found?.jcs ?? []).toString()).toBe(own);
      expect(bytes.toString()).toBe(`before${own}after`);
    });

    test('concurrent writes succeed and fail independently', async () => {
      const rows = Array.from({ length: 40 }, (_, index) => named(`together ${index}`));
      const outcomes = await Promise.allSettled(
        rows.map((each, index) => statements.putMany([each], index % 4 === 1 ? `none ${own}` : first)),
      );
      expect(outcomes.map(({ status }) => status)).toEqual(
        rows.map((_, index) => (index % 4 === 1 ? 'rejected' : 'fulfilled')),
      );
      expect(await countIn(first)).toBe(30);
    });

    test('stores a row of many concurrent writers exactly once', async () => {
      const all = await Promise.all(
        Array.from({ length: 20 }, () => statements.putMany([named('same')], first)),
      );
      expect(totalOf(all)).toEqual(counted({ stored: 1, known: 19 }));
      expect(await countIn(first)).toBe(1);
    });

    test('reports a row as joined to one of many concurrent writers', async () => {
      const given = named('brought by many');
      await statements.putMany([given], first);
      const all = await Promise.all(Array.from({ length: 20 }, () => statements.putMany([given], second)));
      expect(totalOf(all)).toEqual(counted({ joined: 1, known: 19 }));
    });

    test('stores thousands of rows at once', async () => {
      const rows = Array.from({ length: 3_000 }, (_, index) => named(`many ${index}`));
      expect(await statements.putMany(rows, first)).toEqual(counted({ stored: 3_000 }));
      expect(await countIn(first)).toBe(3_000);
      const last = rows.at(-1) as StatementRow;
      expect(await statements.byJcsCid(last.jcsCid, everythingVisible)).toBeDefined();
    });

    test('shows a statement only to readers of one of its graphs, and shows them only those graphs', async () => {
      const given = named('seen');
      await statements.putMany([given], null);
      await expectGraphs(given, only(first, second), undefined);
      await expectGraphs(given, everythingVisible, []);
      await statements.putMany([given], second);
      await statements.putMany([given], first);
      await expectGraphs(given, everythingVisible, [second, first]);
      await expectGraphs(given, only(first, second, `none ${own}`), [second, first]);
      await expectGraphs(given, only(first), [first]);
      await expectGraphs(given, only(), undefined);
    });

    async function expectGraphs(given: StatementRow, visibility: Visibility, graphIds: string[] | undefined) {
      expect((await statements.byJcsCid(given.jcsCid, visibility))?.graphIds).toEqual(graphIds);
      expect((await statements.byRdfcCid(given.rdfcCid, visibility))?.graphIds).toEqual(graphIds);
    }

    test('returns the first stored visible form of an id', async () => {
      const meaning = `meaning of ${own}`;
      const forms = Array.from({ length: 150 }, (_, index) => named(`form ${index}`, { meaning }));
      const last = named('last form', { meaning });
      await statements.putMany(forms, first);
      await statements.putMany([last], second);
      const found = async (visibility: Visibility) =>
        (await statements.byRdfcCid(last.rdfcCid, visibility))?.jcsCid.text;
      expect(await found(everythingVisible)).toBe(forms[0]?.jcsCid.text);
      expect(await found(only(first, second))).toBe(forms[0]?.jcsCid.text);
      expect(await found(only(second))).toBe(last.jcsCid.text);
      expect(await found(only())).toBeUndefined();
    });

    test('finds nothing under the digest of a statement with another codec or hash function', async () => {
      const given = named('named otherwise');
      await statements.putMany([given], first);
      const { digest } = given.jcsCid;
      for (const cid of [makeCid(codecs.raw, digest), makeCid(codecs.jcs, digest, 'sha2-256')])
        expect(await statements.byJcsCid(cid, everythingVisible)).toBeUndefined();
      const raw = makeCid(codecs.raw, given.rdfcCid.digest);
      expect(await statements.byRdfcCid(raw, everythingVisible)).toBeUndefined();
    });

    describe('with unverified rows', () => {
      const claim = (isTrusted: boolean, fields: Parameters<typeof row>[1] = {}) =>
        named('claim', { isTrusted, meaning: `claim of ${own}`, ...fields });

      async function answers(given: StatementRow): Promise<boolean[]> {
        return [
          (await statements.byJcsCid(given.jcsCid, everythingVisible)) !== undefined,
          (await statements.byRdfcCid(given.rdfcCid, everythingVisible)) !== undefined,
        ];
      }

      test('counts them in their graph, but never returns them', async () => {
        expect(await statements.putMany([claim(false)], first)).toEqual(counted({ stored: 1 }));
        expect(await statements.putMany([claim(false)], first)).toEqual(counted({ known: 1 }));
        expect(await countIn(first)).toBe(1);
        expect(await answers(claim(false))).toEqual([false, false]);
      });

      test('prefers an honest form that was stored later', async () => {
        const honest = named('honest', { meaning: `claim of ${own}` });
        await statements.putMany([claim(false), honest], first);
        const found = await statements.byRdfcCid(honest.rdfcCid, everythingVisible);
        expect(found?.jcsCid.text).toBe(honest.jcsCid.text);
      });

      test('replaces an unverified row by a verified one', async () => {
        const forged = claim(false, {
          kind: 'EntityRegistration',
          meaning: `forged ${own}`,
          contextSet: 'forged',
        });
        await statements.putMany([forged], first);
        expect(await statements.putMany([claim(true)], second)).toEqual(counted({ joined: 1 }));
        expect(await answers(claim(true))).toEqual([true, true]);
        expect(await answers({ ...forged, jcsCid: named('none').jcsCid })).toEqual([false, false]);
        const found = await statements.byJcsCid(forged.jcsCid, everythingVisible);
        expect(found && plain(found)).toEqual(plain({ ...claim(true), graphIds: [first, second] }));
      });

      test('never replaces a verified row by an unverified one', async () => {
        await statements.putMany([claim(true)], first);
        const forged = claim(false, { kind: 'EntityRegistration', meaning: `forged ${own}`, references: [] });
        expect(await statements.putMany([forged], second)).toEqual(counted({ joined: 1 }));
        expect(await answers(claim(true))).toEqual([true, true]);
        expect(await statements.byRdfcCid(forged.rdfcCid, everythingVisible)).toBeUndefined();
      });
    });
  });
}

function only(...projects: string[]): Visibility {
  return { projects: new Set(projects) };
}

/** For comparison: a store may give its bytes as a Buffer. */
function plain<Given extends StatementRow>({ jcsCid, rdfcCid, jcs, ...others }: Given) {
  return { ...others, jcsCid: jcsCid.text, rdfcCid: rdfcCid.text, jcs: Buffer.from(jcs).toString() };
}
