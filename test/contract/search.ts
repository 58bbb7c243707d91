import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { everythingVisible, type Visibility } from '../../src/domain/access/visibility.ts';
import { eachRecord } from '../../src/domain/collections/records.ts';
import type { TermPage } from '../../src/domain/collections/term-search.ts';
import { encodeCollection } from '../../src/domain/integrity/blobs/iroh-collection.ts';
import { cidOf, cidUrn, codecs } from '../../src/domain/integrity/identifiers/cid.ts';
import { nameRecords } from '../../src/domain/integrity/names/name-records.ts';
import type { Graph, GraphStore } from '../../src/domain/integrity/ports.ts';
import { searchedFolders } from '../../src/domain/integrity/search/files.ts';
import { foldEntriesAgain } from '../../src/domain/integrity/search/fold-again.ts';
import { searchedGraphs } from '../../src/domain/integrity/search/indexing.ts';
import {
  type IndexedGroup,
  type SearchEntry,
  searchEntries,
} from '../../src/domain/integrity/search/search-entries.ts';
import { partOf, setsFor, wordsIn } from '../../src/domain/integrity/search/terms.ts';
import { newGraph } from '../builders/graphs.ts';
import { row } from '../builders/rows.ts';
import { did } from '../builders/statements.ts';
import type { FillableStore } from './filled-store.ts';
import { putBlob } from './filled-store.ts';

type Searched = FillableStore & AsyncDisposable;

/** How every store finds things by parts of their names. */
export function searchContract(open: () => Promise<Searched>): void {
  describe('the search', () => {
    let store: Searched;
    /** What makes names unlike those of other tests. */
    let own: string;
    let graph: Graph;
    let time = 0;

    beforeAll(async () => {
      store = await open();
    });
    afterAll(async () => {
      await store[Symbol.asyncDispose]();
    });
    beforeEach(async () => {
      own = randomUUID().slice(0, 8);
      graph = await addGraph();
    });

    async function addGraph(name = 'graph'): Promise<Graph> {
      const added = { ...newGraph(), name };
      await store.graphs.add(added);
      return added;
    }

    function naming(name: string, subject: string) {
      const document = Buffer.from(JSON.stringify({ name }));
      const references = [
        { role: 'subject', identifier: subject },
        { role: 'metadata', identifier: cidUrn(cidOf(codecs.jcs, document)) },
        { role: 'registeredBy', identifier: did },
      ];
      const text = JSON.stringify({ references, salt: randomUUID() });
      time += 1;
      return { document, row: row(text, { kind: 'MetadataRegistration', references, time }) };
    }

    const thing = (text: string) => cidUrn(cidOf(codecs.raw, own + text));

    async function give(name: string, { subject = thing(name), of = graph } = {}) {
      const { document, row } = naming(name, subject);
      await putBlob(store.blobs, document, 'blake3');
      await store.statements.putMany([row], of.graphId);
    }

    async function giveMany(names: readonly string[]) {
      const given = names.map((name) => naming(name, thing(name)));
      await Promise.all(given.map(({ document }) => putBlob(store.blobs, document, 'blake3')));
      await store.statements.putMany(
        given.map(({ row }) => row),
        graph.graphId,
      );
    }

    interface Asked {
      readonly visibility?: Visibility;
      readonly group?: IndexedGroup;
      readonly limit?: number;
    }

    /** The names of all pages, each as the first one of its thing. */
    async function found(
      text: string,
      { visibility = everythingVisible, group = 'artefacts', limit = 100 }: Asked = {},
    ) {
      const words = wordsIn(text) ?? expect.fail();
      const names: (string | undefined)[] = [];
      for (let after: string | null | undefined = null; after !== undefined; ) {
        const page: Awaited<ReturnType<typeof store.search.inGroup>> = await store.search.inGroup(
          { words, group },
          { after, limit },
          visibility,
        );
        expect(page.hits.length).toBeLessThanOrEqual(limit);
        names.push(...page.hits.map((hit) => hit.names[0]));
        after = page.next;
      }
      return names;
    }

    test('says which entries were new', async () => {
      const entries = store.of(searchEntries);
      const entry = (name: string): SearchEntry => ({
        id: own + name,
        project: null,
        group: 'artefacts',
        subject: thing(name),
        folded: name,
        statement: null,
        order: 1,
      });
      expect(await entries.insert([entry('b"1')])).toEqual([true]);
      expect(await entries.insert([entry('c'), entry('b"1'), entry('a'), entry('c')])).toEqual([
        true,
        false,
        true,
        false,
      ]);
      expect(await entries.insert([])).toEqual([]);
      expect(await entries.get(`${own}b"1`)).toEqual(entry('b"1'));
    });

    test('finds any part of a name, in any case and width', async () => {
      await give(`src/${own}/lineage/trace.js`);
      for (const part of [`${own}/lin`, `${own.toUpperCase()} ACE.J`, `${own} ｔｒａｃｅ`, `tr ${own} s`])
        expect(await found(part)).toEqual([`src/${own}/lineage/trace.js`]);
      for (const other of [`${own}/lineage/trace.ts`, `${own} race.x`, `${own} ra`, `ac${own}`])
        expect(await found(other)).toEqual([]);
    });

    test('finds names with and without accents, whichever is asked for', async () => {
      await give(`${own}/Résumé naïve.csv`);
      await give(`${own} Ёлка`);
      for (const part of ['resume', 'RÉSUMÉ', 'Re\u0301sume', 'naive.csv'])
        expect(await found(`${own} ${part}`)).toEqual([`${own}/Résumé naïve.csv`]);
      expect(await found(`${own} елка`)).toEqual([`${own} Ёлка`]);
      await give(`${own} हिन्दी`);
      expect(await found(`${own} हनद`)).toEqual([]);
    });

    test('folds entries of an earlier version, which have accents', async () => {
      const entries = store.of(searchEntries);
      const graphs = { group: 'graphs' } as const;
      const { graphId, name } = await addGraph(`café ${own}`);
      for await (const entry of eachRecord(entries, 'key', []))
        if (entry.subject === `urn:uuid:${graphId}`) {
          await entries.remove(entry.id);
          await entries.insert([{ ...entry, id: `${entry.id} older`, folded: name }]);
        }
      expect(await found(`cafe ${own}`, graphs)).toEqual([]);
      for await (const _ of foldEntriesAgain(entries, null));
      expect(await found(`cafe ${own}`, graphs)).toEqual([name]);
      expect(await found(`cafe ${own}`, { ...graphs, visibility: { projects: new Set([graphId]) } })).toEqual(
        [name],
      );
      for await (const { id } of eachRecord(entries, 'key', [])) expect(id).not.toContain('older');
    });

    test('finds a name that was copied with marks of its direction', async () => {
      await give(`\u200f${own} ملف.csv`);
      const shown = [`${own} ملف.csv`];
      expect(await found(`\u2067${own}\u2069 ملف\u200e.csv`)).toEqual(shown);
      expect(await found(`${own} ملف`)).toEqual(shown);
      const project = await addGraph(`\u200f${own}\u200e ערכה`);
      for (const text of [project.name, `${own} ערכה`])
        expect(await found(text, { group: 'graphs' })).toEqual([project.name]);
    });

    test('puts the best first and the newest of these first, on pages of any size', async () => {
      const given = [`x${own}`, `a ${own}`, `${own} b`, own, `a-${own}`, `${own}c`, `xx${own}`];
      for (const name of given) await give(name);
      const best = [own, `${own}c`, `${own} b`, `a-${own}`, `a ${own}`, `xx${own}`, `x${own}`];
      for (const limit of [1, 2, 100]) expect(await found(own, { limit })).toEqual(best);
    });

    test('puts files with this name before others whose names only start so, on pages of any size', async () => {
      const word = `w${own}`;
      const files = [`a/${word}.js`, `${word}.tar.gz`, `b/c/${word}.js`];
      const others = [`${word}s/d.js`, `e/${word}s.js`, `f/${word}`];
      for (const name of [...files, ...others].toSorted()) await give(name);
      for (const limit of [1, 100])
        expect((await found(word, { limit })).slice(0, 3).toSorted()).toEqual(files.toSorted());
      expect((await found(`js ${word}`)).slice(0, 2).toSorted()).toEqual([files[0], files[2]]);
      expect((await found(`${word}.js`)).toSorted()).toEqual([files[0], files[2]]);
      for (let at = 0; at < 210; at += 1) await give(`g/${word}-${at}`);
      expect((await found(word, { limit: 40 })).slice(0, 3).toSorted()).toEqual(files.toSorted());
      await give(`h/i.${word}`);
      expect(await found(`i.${word}`)).toEqual([`h/i.${word}`]);
      for (const [name, asked] of [
        [`j${own}/é.x`, `j${own} é`],
        [`k${own}/.`, `k${own} .`],
      ] as const) {
        await give(name);
        expect(await found(asked)).toEqual([name]);
      }
    }, 60_000);

    test('finds all of many, each once, the newest of the best first', async () => {
      await giveMany(Array.from({ length: 260 }, (_, at) => `${at % 2 ? '' : 'a '}${own} ${at}`));
      const names = await found(own, { limit: 30 });
      expect(new Set(names).size).toBe(260);
      expect(names.slice(0, 3)).toEqual([`${own} 259`, `${own} 257`, `${own} 255`]);
      expect(names.at(-1)).toBe(`a ${own} 0`);
      expect(await found(`${own} 25`)).toHaveLength(11);
    }, 60_000);

    test('finds a graph by its own name, whose registration was interrupted as soon as it was stored', async () => {
      const asked = { group: 'graphs' } as const;
      const stored: string[] = [];
      const graphs: GraphStore = {
        ...store.graphs,
        async add(graph) {
          // Another request registers it in the meantime, and this one ends at once.
          await store.graphs.add({ ...graph, name: `other ${own}` });
          stored.push(graph.name);
          throw new Error('killed');
        },
      };
      const unused = {} as never;
      const ports = { entries: store.of(searchEntries), rows: unused, now: () => new Date() };
      const searched = searchedGraphs({ ...store, graphs }, ports, store.of(nameRecords), {
        stated: async () => undefined,
      });
      const graphId = randomUUID();
      const graph = { graphId, name: `graph ${own}`, parentId: null, projectId: graphId };
      await expect(searched.graphs.add(graph)).rejects.toThrow('killed');
      expect(stored).toEqual([`graph ${own}`]);
      expect(await found(own, asked)).toEqual([`other ${own}`]);
    });

    test('finds a graph whose registration was interrupted once it is repeated', async () => {
      const interrupted = await addGraph(`graph ${own}`);
      const entries = store.of(searchEntries);
      const { records } = await entries.page('key', [], { after: null, limit: 10_000 });
      for (const { id, folded } of records) if (folded.includes(own)) await entries.remove(id);
      const asked = { group: 'graphs' } as const;
      expect(await found(own, asked)).toEqual([]);
      await store.graphs.add(interrupted);
      expect(await found(own, asked)).toEqual([`graph ${own}`]);
    });

    test('answers in parts if many names have all letters, but not in this order', async () => {
      await giveMany(Array.from({ length: 210 }, (_, at) => `model ${own} train ${at}`));
      await give(`${own}modeltrain`);
      expect(await found(`modeltrain ${own}`)).toEqual([`${own}modeltrain`]);
      expect(await found(`${own}modeltrain`, { limit: 1 })).toEqual([`${own}modeltrain`]);
    }, 60_000);

    test('shows a thing with several names once, by its best name', async () => {
      const subject = thing('several');
      for (const name of [`old ${own}`, own, `new ${own}`]) await give(name, { subject });
      await give(`other ${own}`);
      expect(await found(own)).toEqual([`new ${own}`, `other ${own}`]);
      expect(await found(own, { limit: 1 })).toEqual([`new ${own}`, `other ${own}`]);
    });

    test('finds for each reader what their projects name', async () => {
      const other = await addGraph();
      const shared = thing('shared');
      await give(`mine ${own}`);
      await give(`theirs ${own}`, { of: other });
      await give(`shared ${own}`, { subject: shared });
      await give(`shared ${own}`, { subject: shared, of: other });
      const mine = { projects: new Set([graph.projectId]) };
      expect(await found(own, { visibility: mine })).toEqual([`shared ${own}`, `mine ${own}`]);
      expect(await found(own, { visibility: { projects: new Set() } })).toEqual([]);
      const both = { projects: new Set([graph.projectId, other.projectId]) };
      expect((await found(own, { visibility: both })).toSorted()).toEqual([
        `mine ${own}`,
        `shared ${own}`,
        `theirs ${own}`,
      ]);
      const many = Array.from({ length: 60 }, () => randomUUID());
      const withMany = { projects: new Set([graph.projectId, ...many]) };
      expect(await found(own, { visibility: withMany })).toEqual([`shared ${own}`, `mine ${own}`]);
      expect(await found('in no graph')).toEqual([]);
    });

    test('finds the names in an imported graph when it is published', async () => {
      const { document, row } = naming(`imported ${own}`, thing('imported'));
      await putBlob(store.blobs, document, 'blake3');
      const coming = { ...newGraph(), name: `graph ${own}` };
      const mine = { projects: new Set([coming.projectId]) };
      const graphImport = await store.graphImports.begin(coming.projectId);
      await graphImport.put([row]);
      expect(await found(own, { visibility: mine })).toEqual([]);
      await graphImport.publish(coming, { contexts: [], anchors: [] });
      expect(await found(own, { visibility: mine })).toEqual([`imported ${own}`]);
      expect(await found(own, { visibility: mine, group: 'graphs' })).toEqual([`graph ${own}`]);
      expect(await found(own, { visibility: { projects: new Set(['x']) }, group: 'graphs' })).toEqual([]);
    });

    test('finds names as soon as their document arrives', async () => {
      const { document, row } = naming(`late ${own}`, thing('late'));
      await store.statements.putMany([row], graph.graphId);
      expect(await found(own)).toEqual([]);
      await putBlob(store.blobs, document, 'blake3');
      expect(await found(own, { visibility: { projects: new Set([graph.projectId]) } })).toEqual([
        `late ${own}`,
      ]);
    });

    test('finds long names with markup, and short words at the start of a word', async () => {
      const long = `<script>alert("${own}")</script>${'y'.repeat(10_000)}`;
      await give(long);
      expect(await found(`<script>alert("${own}")`)).toEqual([long.slice(0, 200)]);
      await give(`日本 ${own}`);
      expect(await found(`日 ${own}`)).toEqual([`日本 ${own}`]);
      expect(await found(`本 ${own}`)).toEqual([]);
      expect(() => wordsIn('word '.repeat(1_000))).toThrow('at most 32 words');
    });

    /** A folder of texts by path, whose blobs are stored. */
    async function putFolder(files: Readonly<Record<string, string>>): Promise<string> {
      const entries = Object.entries(files).map(([name, text]) => ({
        name,
        digest: cidOf(codecs.raw, own + text).digest,
      }));
      const { metadata, root } = encodeCollection(entries);
      await putBlob(store.blobs, metadata, 'blake3');
      const staged = await store.blobs.stage();
      await staged.write(root);
      const cid = cidOf(codecs.hashSequence, root);
      await staged.commit(cid);
      return cidUrn(cid);
    }

    async function stateFolder(folder: string, of = graph) {
      const references = [
        { role: 'data', identifier: folder },
        { role: 'registeredBy', identifier: did },
      ];
      await store.statements.putMany(
        [row(randomUUID(), { kind: 'DataRegistration', references })],
        of.graphId,
      );
    }

    async function indexFiles() {
      while ((await store.indexDueFolders()) > 0);
    }

    const seenBy = ({ projectId }: Graph) => ({ visibility: { projects: new Set([projectId]) } });

    test('finds the files of a folder by any part of their paths, for who sees a statement about it', async () => {
      const other = await addGraph();
      const folder = await putFolder({ [`a/${own}-i2.txt`]: 'two', 'b.txt': 'other' });
      await stateFolder(folder);
      await indexFiles();
      for (const asked of [{}, seenBy(graph)])
        expect(await found(`${own}-i2`, asked)).toEqual([`a/${own}-i2.txt`]);
      expect(await found(`${own}-i2`, seenBy(other))).toEqual([]);
      await stateFolder(folder, other);
      await indexFiles();
      expect(await found(`${own}-i2`, seenBy(other))).toEqual([`a/${own}-i2.txt`]);
      const words = wordsIn(`${own}-I2.t`) ?? expect.fail();
      const page = { after: null, limit: 10 };
      const { hits } = await store.search.inGroup({ words, group: 'artefacts' }, page, everythingVisible);
      expect(hits).toMatchObject([{ subject: thing('two'), folder: { folder, path: `a/${own}-i2.txt` } }]);
    });

    test('shows a file of several folders once, by the best of its names and paths', async () => {
      for (const path of [`x/${own}`, `${own}`, `${own}.txt`]) {
        await stateFolder(await putFolder({ [path]: 'same', [`of ${path}`]: path }));
        await indexFiles();
      }
      const fitting = async () => {
        const names = await found(own, { limit: 2 });
        return names.filter((name) => !name?.startsWith('of'));
      };
      expect(await fitting()).toEqual([own]);
      await give(`named ${own}`, { subject: thing('same') });
      expect(await fitting()).toEqual([`named ${own}`]);
      expect(await found(`named ${own}`)).toEqual([`named ${own}`]);
    });

    test('finds the files of folders in an imported graph when it is published', async () => {
      const folder = await putFolder({ [`${own}.bin`]: 'imported' });
      const references = [{ role: 'data', identifier: folder }];
      const coming = newGraph();
      const graphImport = await store.graphImports.begin(coming.projectId);
      await graphImport.put([row(randomUUID(), { kind: 'DataRegistration', references })]);
      await indexFiles();
      expect(await found(own, seenBy(coming))).toEqual([]);
      await graphImport.publish(coming, { contexts: [], anchors: [] });
      await indexFiles();
      expect(await found(own, seenBy(coming))).toEqual([`${own}.bin`]);
    });

    test('finds a file at once behind a thousand files whose paths differ from its own in a digit', async () => {
      const path = (at: number) => `${own}/class-${Math.floor(at / 250)}/image-${at}.png`;
      const files = Array.from({ length: 1_250 }, (_, at) => [path(at), `${at}`]);
      await stateFolder(await putFolder(Object.fromEntries(files)));
      await indexFiles();
      const words = wordsIn(`${own}/class-0/ png`) ?? expect.fail();
      const asked = { words, group: 'artefacts' } as const;
      const page = { after: null, limit: 5 };
      const { hits } = await store.search.inGroup(asked, page, seenBy(graph).visibility);
      expect(hits).toHaveLength(5);
    }, 60_000);

    test('reads many matches from the newest to the oldest, however their times are spread', async () => {
      const [day, now] = [86_400_000_000, Date.now() * 1_000];
      const burst = Array.from({ length: 450 }, (_, at) => now - 400 * day + at);
      const later = Array.from({ length: 120 }, (_, at) => now - 30 * day + at * 60_000_000);
      const entries = [now - 900 * day, ...burst, ...later, now].map((order) => ({
        ...({
          id: `${own} ${order}`,
          project: null,
          group: 'artefacts',
          subject: 'did:x',
          statement: null,
        } as const),
        ...{ folded: `${own} model`, order },
      }));
      for (let at = 0; at < entries.length; at += 100)
        await store.of(searchEntries).insert(entries.slice(at, at + 100));
      const terms = store.termsOf(searchEntries);
      const groups = setsFor(
        [partOf(null, 'artefacts')],
        wordsIn(`${own} model`) ?? expect.fail(),
        undefined,
      );
      expect(await terms.few(groups, 200)).toBeUndefined();
      const orders: number[] = [];
      for (let after: string | null = null; ; ) {
        const { found, isLast }: TermPage<SearchEntry> = await terms.matching(groups, { after, limit: 50 });
        orders.push(...found.map(({ record }) => record.order));
        after = found.at(-1)?.mark ?? null;
        if (isLast) break;
      }
      expect(orders).toEqual(entries.map(({ order }) => order).toReversed());
      for (const { id } of entries) await store.of(searchEntries).remove(id);
    }, 60_000);

    test('goes on with the files of a folder after a stop, and indexes those of an older store', async () => {
      const files = Object.fromEntries(Array.from({ length: 600 }, (_, at) => [`${own}/${at}`, `${at}`]));
      await stateFolder(await putFolder(files));
      const stop = new AbortController();
      stop.abort();
      await store.indexDueFolders(stop.signal);
      expect((await found(own, seenBy(graph))).length).toBeLessThan(600);
      await indexFiles();
      expect(new Set(await found(own, seenBy(graph))).size).toBe(600);
      const [searched, entries] = [store.of(searchedFolders), store.of(searchEntries)];
      for await (const { id } of eachRecord(searched, 'key', [])) await searched.remove(id);
      for await (const { id, folded } of eachRecord(entries, 'key', []))
        if (folded.includes(`${own}/59`)) await entries.remove(id);
      expect(await found(`${own}/599`)).toEqual([]);
      for await (const _ of store.searchOlderFolders(null));
      await indexFiles();
      expect(await found(`${own}/599`, seenBy(graph))).toEqual([`${own}/599`]);
    }, 60_000);

    test('indexes everything again, in parts', async () => {
      await give(`again ${own}`);
      const entries = store.of(searchEntries);
      const visibility = { projects: new Set([graph.projectId]) };
      for await (const { id, folded } of eachRecord(entries, 'key', []))
        if (folded.includes(own)) await entries.remove(id);
      expect(await found(own, { visibility })).toEqual([]);
      for await (const { position } of store.indexForSearch(null)) expect(position).toBeTypeOf('string');
      expect(await found(own, { visibility })).toEqual([`again ${own}`]);
    });
  });
}
