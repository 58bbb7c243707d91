import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { everythingVisible, type Visibility } from '../../src/domain/access/visibility.ts';
import { cidOf, codecs } from '../../src/domain/integrity/identifiers/cid.ts';
import type { GraphContents, GraphImports } from '../../src/domain/integrity/manifest/ports.ts';
import type { Graph, GraphStore, StatementRow, StatementStore } from '../../src/domain/integrity/ports.ts';
import { newGraph } from '../builders/graphs.ts';
import { counted } from '../builders/put-counts.ts';
import { row } from '../builders/rows.ts';

interface Stores extends AsyncDisposable {
  readonly statements: StatementStore;
  readonly graphs: GraphStore;
  readonly graphContents: GraphContents;
  readonly graphImports: GraphImports;
}

/** What every store of GraphContents and GraphImports does. It is left filled: each test has names of its own. */
export function graphContentsContract(open: () => Promise<Stores>): void {
  let stores: Stores;
  let own: string;
  let first: string;
  let second: string;

  beforeAll(async () => {
    stores = await open();
  });
  afterAll(async () => {
    await stores[Symbol.asyncDispose]();
  });
  beforeEach(async () => {
    own = randomUUID();
    first = await addGraph();
    second = await addGraph();
  });

  async function addGraph(): Promise<string> {
    const graph = newGraph();
    await stores.graphs.add(graph);
    return graph.graphId;
  }

  const named = (text: string, fields?: Parameters<typeof row>[1]) => row(`${own} ${text}`, fields);

  async function texts(graphIds: readonly string[] | null, visibility: Visibility = everythingVisible) {
    const pages = await Array.fromAsync(stores.graphContents.statements(graphIds, visibility));
    return pages.flat().map(({ jcs }) => Buffer.from(jcs).toString());
  }

  const inOrder = (rows: readonly StatementRow[]) =>
    rows
      .toSorted((one, other) => Buffer.compare(one.rdfcCid.digest, other.rdfcCid.digest))
      .map(({ jcs }) => Buffer.from(jcs).toString());

  describe('the contents of graphs', () => {
    test('come once each in the order of their ids, for any order of storing and any graphs', async () => {
      const rows = Array.from({ length: 700 }, (_, index) => named(`row ${index}`));
      await stores.statements.putMany(rows.slice(300), first);
      await stores.statements.putMany(rows.slice(0, 500), second);
      await stores.statements.putMany([named('nowhere')], null);
      expect(await texts([first])).toEqual(inOrder(rows.slice(300)));
      expect(await texts([second, first, second])).toEqual(inOrder(rows));
      expect(await texts([first], only(second))).toEqual([]);
      expect(await texts(null, only(first, second))).toEqual(inOrder(rows));
      expect(await texts([])).toEqual([]);
      expect(await texts([randomUUID()])).toEqual([]);
    });

    test('have statements in no graph when all graphs are asked for by a reader who sees everything', async () => {
      const rows = Array.from({ length: 1_300 }, (_, index) => named(`unlisted ${index}`));
      await stores.statements.putMany(rows.slice(0, 900), null);
      await stores.statements.putMany(rows.slice(600), first);
      const ofThisTest = (found: readonly string[]) => found.filter((text) => text.startsWith(`${own} `));
      expect(ofThisTest(await texts(null))).toEqual(inOrder(rows));
      expect(ofThisTest(await texts(null, only(first)))).toEqual(inOrder(rows.slice(600)));
      expect(ofThisTest(await texts([first]))).toEqual(inOrder(rows.slice(600)));
    });

    test('have all forms of an id, verified first, in the order of storing', async () => {
      const meaning = `meaning of ${own}`;
      const forms = Array.from({ length: 300 }, (_, index) =>
        named(`form ${index}`, { meaning, isTrusted: index % 3 > 0 }),
      );
      await stores.statements.putMany(forms, first);
      const expected = [
        ...forms.filter(({ isTrusted }) => isTrusted),
        ...forms.filter(({ isTrusted }) => !isTrusted),
      ];
      expect(await texts([first])).toEqual(expected.map(({ jcs }) => Buffer.from(jcs).toString()));
    });

    test('return the whole row', async () => {
      const given = named('whole', {
        references: [{ role: 'data', identifier: 'urn:cid:bafkqaaa' }],
        time: 5,
      });
      await stores.statements.putMany([given], first);
      const [[found] = []] = await Array.fromAsync(
        stores.graphContents.statements([first], everythingVisible),
      );
      expect(Buffer.from(found?.jcs ?? [])).toEqual(Buffer.from(given.jcs));
      expect(found).toMatchObject({
        kind: given.kind,
        references: given.references,
        time: 5,
        contextSet: given.contextSet,
        isTrusted: true,
        jcsCid: { text: given.jcsCid.text },
        rdfcCid: { text: given.rdfcCid.text },
      });
    });

    test('have everything that existed at the start, without duplicates, during concurrent writes', async () => {
      const rows = Array.from({ length: 500 }, (_, index) => named(`before ${index}`));
      await stores.statements.putMany(rows, first);
      const found: string[] = [];
      let batch = 0;
      for await (const page of stores.graphContents.statements([first], everythingVisible)) {
        found.push(...page.map(({ jcs }) => Buffer.from(jcs).toString()));
        const more = Array.from({ length: 100 }, (_, index) => named(`during ${batch} ${index}`));
        if (batch++ < 5) await stores.statements.putMany(more, first);
      }
      expect(new Set(found).size).toBe(found.length);
      expect(new Set(found).isSupersetOf(new Set(inOrder(rows)))).toBe(true);
    });

    test('follow a statement whose id changes', async () => {
      const forged = named('form', { isTrusted: false, meaning: `forged ${own}` });
      const others = Array.from({ length: 20 }, (_, index) => named(`other ${index}`));
      await stores.statements.putMany([forged, ...others], first);
      const honest = named('form', { meaning: `honest ${own}` });
      await stores.statements.putMany([honest], second);
      expect(await texts([first])).toEqual(inOrder([honest, ...others]));
    });

    test('are counted by form', async () => {
      const rows = Array.from({ length: 300 }, (_, index) => named(`counted ${index}`));
      await stores.statements.putMany(rows.slice(0, 200), first);
      const cids = rows.map(({ jcsCid }) => jcsCid);
      expect(await stores.graphContents.count(first, cids)).toBe(200);
      expect(await stores.graphContents.count(second, cids)).toBe(0);
    });
  });

  describe('an imported graph', () => {
    const attachments = () => ({
      contexts: [{ url: `urn:x:${own}`, cid: cidOf(codecs.raw, 'context').text }],
      anchors: ['b', 'a'].map((text) => cidOf(codecs.raw, text).text),
    });

    test('is visible nowhere until it is published, and then everywhere', async () => {
      const graph = newGraph();
      const coming = await stores.graphImports.begin(graph.projectId);
      const rows = [named('one'), named('two', { isTrusted: false }), named('three')];
      expect(await coming.put([rows[0] as StatementRow])).toEqual(counted({ stored: 1 }));
      expect(await coming.put(rows)).toEqual(counted({ stored: 2, known: 1 }));
      const later = await addGraph();
      expect(await stores.graphs.get(graph.graphId)).toBeUndefined();
      expect(await texts(null, only(graph.graphId))).toEqual([]);
      expect(await graphsOf(rows[0] as StatementRow)).toEqual([]);
      expect(await coming.publish(graph, attachments())).toBe('added');
      expect(await stores.graphs.get(graph.graphId)).toEqual(graph);
      expect(await texts([graph.graphId])).toEqual(inOrder(rows));
      expect(await graphsOf(rows[0] as StatementRow)).toEqual([graph.graphId]);
      expect(await countIn(graph.graphId)).toBe(3);
      expect(await stores.graphContents.attachments([later, graph.graphId], everythingVisible)).toEqual(
        attachments(),
      );
      await coming.abandon();
      expect(await texts([graph.graphId])).toEqual(inOrder(rows));
      await expect(coming.put(rows)).rejects.toMatchObject({ code: 'conflict' });
      expect(await stores.graphContents.attachments(null, only(later))).toEqual({
        contexts: [],
        anchors: [],
      });
    });

    test('does not appear if its id is taken', async () => {
      const other = newGraph();
      const coming = await stores.graphImports.begin(other.projectId);
      await coming.put([named('one')]);
      const taken = { ...newGraph(), graphId: first, projectId: other.projectId };
      expect(await coming.publish(taken, attachments())).toBe('exists');
      expect(await texts([first])).toEqual([]);
      expect(await coming.publish(other, attachments())).toBe('added');
      expect(await texts([other.graphId])).toHaveLength(1);
    });

    test('leaves nothing but verified statements when it is abandoned', async () => {
      const coming = await stores.graphImports.begin(own);
      const [honest, forged, shared] = [
        named('honest'),
        named('forged', { isTrusted: false }),
        named('shared', { isTrusted: false }),
      ];
      await stores.statements.putMany([shared], first);
      const many = Array.from({ length: 2_500 }, (_, index) => named(`many ${index}`, { isTrusted: false }));
      await coming.put([honest, forged, shared, ...many]);
      await coming.abandon();
      await coming.abandon();
      expect(await graphsOf(honest)).toEqual([]);
      expect(await texts([first])).toEqual(inOrder([shared]));
      await expect(coming.publish(newGraph(), attachments())).rejects.toMatchObject({ code: 'conflict' });
      const again = await stores.graphImports.begin(own);
      expect(await again.put([honest, forged, shared])).toEqual(counted({ stored: 1, joined: 2 }));
    });

    test('does not disturb concurrent registrations and imports', async () => {
      const graphs = [newGraph(), newGraph()];
      const [one, other] = [
        await stores.graphImports.begin(String(graphs[0]?.projectId)),
        await stores.graphImports.begin(String(graphs[1]?.projectId)),
      ];
      const between = await addGraph();
      await one.put([named('one')]);
      await other.put([named('other')]);
      await stores.statements.putMany([named('between')], between);
      await other.publish(graphs[1] as Graph, attachments());
      await one.publish(graphs[0] as Graph, attachments());
      const contents = await Promise.all(
        [graphs[0]?.graphId, between, graphs[1]?.graphId].map((id) => texts([String(id)])),
      );
      expect(contents).toEqual([[`${own} one`], [`${own} between`], [`${own} other`]]);
    });

    async function graphsOf({ jcsCid }: StatementRow) {
      return (await stores.statements.byJcsCid(jcsCid, everythingVisible))?.graphIds;
    }

    async function countIn(graphId: string): Promise<number | undefined> {
      return (await stores.graphs.statementCounts([graphId], 10_000))[0];
    }
  });
}

function only(...projects: string[]): Visibility {
  return { projects: new Set(projects) };
}
