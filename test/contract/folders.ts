import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { everythingVisible } from '../../src/domain/access/visibility.ts';
import { reachEverything, reachOfProjects } from '../../src/domain/integrity/access/content-reach.ts';
import { encodeCollection } from '../../src/domain/integrity/blobs/iroh-collection.ts';
import { folderRecords, memberRecords } from '../../src/domain/integrity/folders/folder-records.ts';
import { cidOf, cidUrn, codecs } from '../../src/domain/integrity/identifiers/cid.ts';
import { traceLineage } from '../../src/domain/integrity/lineage/lineage.ts';
import type { StatementScope } from '../../src/domain/integrity/ports.ts';
import { findIdentifier } from '../../src/domain/integrity/statements/find.ts';
import type { Reference } from '../../src/domain/integrity/statements/references.ts';
import type { PlannedStore } from '../../src/storage/store.ts';
import { newGraph } from '../builders/graphs.ts';
import { row } from '../builders/rows.ts';

const urn = (text: string) => cidUrn(cidOf(codecs.raw, text));

/** What every store knows of the files of folders. */
export function foldersContract(open: () => Promise<PlannedStore>): void {
  describe('the files of folders', () => {
    let store: PlannedStore;
    beforeAll(async () => {
      store = await open();
    });
    afterAll(async () => await store[Symbol.asyncDispose]());

    function computation(input: string, output: string) {
      const references: Reference[] = [
        { role: 'registeredBy', identifier: 'did:web:shared' },
        { role: 'input', identifier: input },
        { role: 'output', identifier: output },
      ];
      return row(JSON.stringify([randomUUID(), input, output]), {
        kind: 'ComputationRegistration',
        references,
      });
    }

    /** A folder of texts, with its blobs in the order in which they are to be stored. */
    function folderOf(files: Readonly<Record<string, string>>) {
      const entries = Object.entries(files).map(([name, text]) => ({
        name,
        digest: cidOf(codecs.raw, text).digest,
      }));
      const { metadata, root } = encodeCollection(entries);
      const blobs = [
        { bytes: root, cid: cidOf(codecs.hashSequence, root) },
        { bytes: metadata, cid: cidOf(codecs.raw, metadata) },
      ];
      return { urn: cidUrn(cidOf(codecs.hashSequence, root)), blobs };
    }
    type Folder = ReturnType<typeof folderOf>;

    async function putBlobs(blobs: Folder['blobs']): Promise<void> {
      for (const { bytes, cid } of blobs) {
        const staged = await store.blobs.stage();
        await staged.write(bytes);
        await staged.commit(cid);
      }
    }

    async function graphIn(projectId: string): Promise<string> {
      const graph = newGraph({ graphId: randomUUID(), projectId });
      await store.graphs.add(graph);
      return graph.graphId;
    }

    const everywhere: StatementScope = { graphId: null, visibility: everythingVisible };
    const ofProject = (project: string): StatementScope => ({
      graphId: null,
      visibility: { projects: new Set([project]) },
    });
    async function traced(start: string, scope = everywhere, flow?: 'upstream' | 'downstream') {
      const flows = flow ? [flow] : (['upstream', 'downstream'] as const);
      const query = { start, flows, depth: 10, limit: 500, kinds: null };
      return await traceLineage({ ...store, reach: reachEverything }, query, scope);
    }
    async function found(id: string, scope = everywhere) {
      const ports = { ...store, reach: reachOfProjects(store.statementIndex, store.folders) };
      return await findIdentifier(ports, id, { after: null, limit: 10 }, scope);
    }

    test.each([
      ['the blobs come first', (folder: Folder) => [...folder.blobs, null]],
      ['the statement comes first', (folder: Folder) => [null, ...folder.blobs]],
      ['the names come last', ({ blobs: [root, names] }: Folder) => [root, null, names]],
    ])('lead from a file through the folder both ways, if %s', async (_, orderOf) => {
      const seed = randomUUID();
      const folder = folderOf({ 'a/i2.txt': `${seed} two`, 'b.txt': `${seed} other` });
      const rows = [
        computation(urn(`${seed} raw`), folder.urn),
        computation(folder.urn, urn(`${seed} model`)),
      ];
      for (const part of orderOf(folder)) {
        if (part) await putBlobs([part]);
        else await store.statements.putMany(rows, await graphIn('alpha'));
      }
      const lineage = await traced(urn(`${seed} two`));
      const ids = lineage.nodes.map(({ id }) => id);
      for (const id of [folder.urn, urn(`${seed} raw`), urn(`${seed} model`)]) expect(ids).toContain(id);
      expect(ids).not.toContain(urn(`${seed} other`));
      expect(lineage.edges).toContainEqual(
        expect.objectContaining({ from: folder.urn, role: 'member', path: 'a/i2.txt', kind: 'containment' }),
      );
      expect(lineage.nodes.find(({ id }) => id === folder.urn)).toMatchObject({ files: 2 });
      const upstream = await traced(urn(`${seed} two`), everywhere, 'upstream');
      expect(upstream.nodes.map(({ id }) => id)).not.toContain(urn(`${seed} model`));
      const answer = await found(urn(`${seed} two`));
      expect(answer.folders).toMatchObject([{ folder: folder.urn, path: 'a/i2.txt' }]);
      expect((await found(folder.urn)).files).toBe(2);
    });

    test('show of a folder the files about which something is stated, and what was made from them', async () => {
      const seed = randomUUID();
      const names = Array.from({ length: 1_200 }, (_, at) => [`f${at}`, `${seed} ${at}`]);
      const folder = folderOf(Object.fromEntries(names));
      await putBlobs(folder.blobs);
      const rows = [
        computation(urn(`${seed} raw`), folder.urn),
        computation(urn(`${seed} 700`), urn(`${seed} made`)),
      ];
      await store.statements.putMany(rows, await graphIn('alpha'));
      const lineage = await traced(folder.urn);
      const members = lineage.edges.filter(({ role }) => role === 'member');
      expect(members.map(({ path }) => path)).toEqual(['f700']);
      expect(lineage.nodes.map(({ id }) => id)).toContain(urn(`${seed} made`));
      expect(lineage.nodes[0]).toMatchObject({ files: 1_200 });
    });

    test('do not lead from one folder to another with the same file', async () => {
      const seed = randomUUID();
      const licence = `${seed} a licence`;
      const [mine, other] = [`${seed} mine`, `${seed} other`].map((text) => folderOf({ licence, text }));
      const rows = [mine, other].map((folder, at) =>
        computation(urn(`${seed} raw ${at}`), folder?.urn ?? ''),
      );
      await store.statements.putMany(rows, await graphIn('alpha'));
      for (const folder of [mine, other]) await putBlobs(folder?.blobs ?? []);
      const ids = (await traced(mine?.urn ?? '')).nodes.map(({ id }) => id);
      expect(ids).not.toContain(other?.urn);
    });

    test('are hidden from who sees no statement about the folder, although they know a hash', async () => {
      const seed = randomUUID();
      const folder = folderOf({ 'secret.txt': `${seed} secret` });
      await putBlobs(folder.blobs);
      await store.statements.putMany([computation(urn(`${seed} raw`), folder.urn)], await graphIn('beta'));
      const secret = urn(`${seed} secret`);
      const reach = reachOfProjects(store.statementIndex, store.folders);
      const canRead = async (project: string) =>
        await reach.blob(cidOf(codecs.raw, `${seed} secret`), ofProject(project).visibility);
      for (const ask of [traced, found])
        await expect(ask(secret, ofProject('alpha'))).rejects.toMatchObject({ code: 'not_found' });
      expect((await found(secret, ofProject('beta'))).folders).toHaveLength(1);
      expect((await traced(secret, ofProject('beta'))).nodes.map(({ id }) => id)).toContain(folder.urn);
      expect([await canRead('alpha'), await canRead('beta')]).toEqual([false, true]);
    });

    test('of an older store are indexed by an upgrade', async () => {
      const seed = randomUUID();
      const folder = folderOf({ 'old.txt': `${seed} old` });
      await putBlobs(folder.blobs);
      await store.statements.putMany([computation(urn(`${seed} raw`), folder.urn)], await graphIn('alpha'));
      const id = folder.urn.slice('urn:cid:'.length);
      await store.of(folderRecords).remove(id);
      await store.of(memberRecords).remove(`${id}/0`);
      await expect(traced(urn(`${seed} old`))).rejects.toMatchObject({ code: 'not_found' });
      for await (const _ of store.indexOlderFolders(null));
      expect((await traced(urn(`${seed} old`))).nodes.map((node) => node.id)).toContain(folder.urn);
    });
  });
}
