import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { everythingVisible } from '../../src/domain/access/visibility.ts';
import { cidOf, cidUrn, codecs } from '../../src/domain/integrity/identifiers/cid.ts';
import { nameRecords } from '../../src/domain/integrity/names/name-records.ts';
import type { StatementFilter, StatementRow, StatementScope } from '../../src/domain/integrity/ports.ts';
import { PackedRows } from '../../src/domain/integrity/statements/packed-rows.ts';
import { newGraph } from '../builders/graphs.ts';
import { row } from '../builders/rows.ts';
import { did } from '../builders/statements.ts';
import { type FillableStore, putBlob } from './filled-store.ts';

const all: StatementScope = { graphId: null, visibility: everythingVisible };
const noFilter: StatementFilter = { kind: null, subject: null, registeredBy: null, from: null, until: null };

/** How every store names things. */
export function namesContract(open: () => Promise<FillableStore & AsyncDisposable>): void {
  describe('the index of names', () => {
    let store: FillableStore & AsyncDisposable;
    /** What makes names unlike those of other tests. */
    let own: string;
    let thing: string;

    beforeAll(async () => {
      store = await open();
    });
    afterAll(async () => {
      await store[Symbol.asyncDispose]();
    });
    beforeEach(() => {
      own = randomUUID();
      thing = `urn:uuid:${own}`;
    });

    async function addGraph(): Promise<string> {
      const graph = newGraph();
      await store.graphs.add(graph);
      return graph.graphId;
    }

    const documentNamed = (name: string) => Buffer.from(JSON.stringify({ name, own }));
    const putDocument = (document: Uint8Array) => putBlob(store.blobs, document, 'blake3');

    /** A statement that says that a document describes a thing. */
    function naming(document: Uint8Array, fields: Partial<StatementRow> = {}, subject = thing): StatementRow {
      const references = [
        { role: 'subject', identifier: subject },
        { role: 'metadata', identifier: cidUrn(cidOf(codecs.jcs, document)) },
        { role: 'registeredBy', identifier: did },
      ];
      const text = JSON.stringify({ references, ...fields });
      return row(text, { kind: 'MetadataRegistration', references, ...fields });
    }

    async function give(
      name: string,
      graphId: string | null,
      fields?: Partial<StatementRow>,
      subject = thing,
    ) {
      const document = documentNamed(name);
      await putDocument(document);
      await store.statements.putMany([naming(document, fields, subject)], graphId);
    }

    const nameOf = async (subject: string, scope = all) =>
      (await store.names.of([subject], scope)).get(subject);

    test('has a name as soon as the statement and its document are stored, in either order', async () => {
      const [early, late] = ['the document first', 'the statement first'].map(documentNamed);
      if (!early || !late) expect.fail();
      await putDocument(early);
      await store.statements.putMany(PackedRows.of([row(own), naming(early)]), null);
      expect(await nameOf(thing)).toBe('the document first');
      const other = `${thing}0`;
      await store.statements.putMany([naming(late, {}, other)], null);
      expect(await nameOf(other)).toBeUndefined();
      await putDocument(late);
      expect(await nameOf(other)).toBe('the statement first');
    });

    test('answers the newest name that the reader may see', async () => {
      const [mine, theirs] = [await addGraph(), await addGraph()];
      const ofMine = { graphId: null, visibility: { projects: new Set([mine]) } };
      // The order of storing counts, not the time that a statement claims.
      await give('older', mine, { time: 2 });
      await give('newer', theirs, { time: 1 });
      expect(await nameOf(thing)).toBe('newer');
      expect(await nameOf(thing, ofMine)).toBe('older');
      expect(await nameOf(thing, { graphId: theirs, visibility: everythingVisible })).toBe('newer');
      expect(await nameOf(thing, { ...all, visibility: { projects: new Set() } })).toBeUndefined();
      const { statements } = await store.names.search('new', noFilter, { after: null, limit: 9 }, ofMine);
      expect(statements).toEqual([]);
    });

    test('tells no name that the reader may not see, not even in a cursor', async () => {
      const graphId = await addGraph();
      const inGraph = { graphId, visibility: everythingVisible };
      await give(`${own} a`, graphId);
      const hidden = Array.from({ length: 5_500 }, (_, at) => {
        const name = `${own} hidden ${at}`;
        return { id: cidOf(codecs.jcs, name).text, subject: thing, name, folded: name, newestFirst: 0 };
      });
      await store.of(nameRecords).insert(hidden);
      await give(`${own} z`, graphId);
      const found: string[] = [];
      const cursors: string[] = [];
      for (let after: string | null | undefined = null; after !== undefined; ) {
        const page: Awaited<ReturnType<typeof store.names.search>> = await store.names.search(
          own,
          noFilter,
          { after, limit: 1 },
          inGraph,
        );
        found.push(...page.statements.map(({ jcsCid }) => jcsCid.text));
        after = page.next;
        if (after === undefined) break;
        cursors.push(legible(after));
        expect(cursors.at(-1)).not.toContain('hidden');
      }
      expect(found).toHaveLength(2);
      expect(cursors.length).toBeGreaterThan(1);
      expect(cursors.at(-1)).toContain(`${own} a`);
    });

    test('makes all names again in the order of storing', async () => {
      const names = store.of(nameRecords);
      for (const [at, name] of ['older', 'newer'].entries()) await give(name, null, { time: 9 - at });
      const spdx = Buffer.from(JSON.stringify({ spdxVersion: 'SPDX-2.3', name: 'sbom', own }));
      await putDocument(spdx);
      const ofFormat = naming(spdx);
      await store.statements.putMany([ofFormat], null);
      const right = await names.among('bySubject', [thing], 9);
      expect(right.flat().map(({ name }) => name)).toEqual(['newer', 'older']);
      for (const { id } of right.flat()) await names.update(id, {}, { newestFirst: 7, name: 'other' });
      const name = { subject: thing, name: 'sbom', folded: 'sbom', newestFirst: -(2 ** 52) };
      await names.insert([{ id: ofFormat.jcsCid.text, ...name }]);
      for await (const { position } of store.indexNamesAgain(null))
        expect(position).toMatch(/^(un)?verified /);
      expect(await names.among('bySubject', [thing], 9)).toEqual(right);
    });

    test('shows the name in an unverified statement in its graph only', async () => {
      const graph = newGraph();
      const document = documentNamed('imported');
      await putDocument(document);
      const coming = await store.graphImports.begin(graph.projectId);
      await coming.put([naming(document, { isTrusted: false })]);
      const inGraph = { graphId: graph.graphId, visibility: everythingVisible };
      expect(await nameOf(thing, inGraph)).toBeUndefined();
      await coming.publish(graph, { contexts: [], anchors: [] });
      expect(await nameOf(thing, inGraph)).toBe('imported');
      expect(await nameOf(thing)).toBeUndefined();
    });

    test('finds names by their start in any case and width, sorted, in pages', async () => {
      const graphId = await addGraph();
      const inGraph = { graphId, visibility: everythingVisible };
      const given = ['Model b', 'ＭＯＤＥＬ a', 'model', 'mode', 'the model', 'MODEL C'];
      for (const [at, name] of given.entries()) await give(name, graphId, { time: at }, `${thing}${at}`);
      const found = async (start: string, filter: Partial<StatementFilter> = {}, limit = 2) => {
        const subjects: (string | undefined)[] = [];
        for (let after: string | null | undefined = null; after !== undefined; ) {
          const page: Awaited<ReturnType<typeof store.names.search>> = await store.names.search(
            start,
            { ...noFilter, ...filter },
            { after, limit },
            inGraph,
          );
          subjects.push(...page.statements.map(({ references }) => references[0]?.identifier));
          after = page.next;
        }
        return subjects.map((subject) => given[Number(subject?.slice(thing.length))]);
      };
      const models = ['model', 'ＭＯＤＥＬ a', 'Model b', 'MODEL C'];
      expect(await found('moDEL')).toEqual(models);
      expect(await found('model', { from: 1, until: 3 }, 1)).toEqual(['model', 'ＭＯＤＥＬ a']);
      expect(await found('model', { registeredBy: did, kind: 'MetadataRegistration' }, 9)).toEqual(models);
      expect(await found('model', { kind: 'DataRegistration' })).toEqual([]);
    });
  });
}

/** A cursor with the cursors in it. */
function legible(cursor: string): string {
  const text = Buffer.from(cursor.split('.')[0] ?? '', 'base64url').toString();
  return text.replaceAll(/[\w-]{40,}/g, (part) => Buffer.from(part, 'base64url').toString());
}
