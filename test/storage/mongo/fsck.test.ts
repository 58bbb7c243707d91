import { randomBytes, randomUUID } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { type Document, ObjectId } from 'mongodb';
import { expect, test } from 'vitest';
import { type Cid, digestHex } from '../../../src/domain/integrity/identifiers/cid.ts';
import { multihashes } from '../../../src/domain/integrity/identifiers/hashing.ts';
import { Database, type DatabaseAddress, databaseClient } from '../../../src/storage/mongo/database.ts';
import { openMongoCheck } from '../../../src/storage/mongo/fsck/open-fsck.ts';
import { openMongo } from '../../../src/storage/mongo/open-mongo.ts';
import { type Filled, fill, newGraph, putBlob } from '../../contract/filled-store.ts';
import { row } from '../../contract/rows.ts';
import { type Damage, type FsckPlace, runFsck, storeFsckContract } from '../../contract/store-fsck.ts';
import { newFolder } from '../temporary-folder.ts';
import { describeMongo, dropDatabase, newDatabase } from './database.ts';

const patience = { waitMs: 0, waiting: () => {} };

interface Place extends FsckPlace {
  readonly address: DatabaseAddress;
}

async function newPlace(): Promise<Place> {
  const [address, folder] = [newDatabase(), await newFolder()];
  return {
    address,
    open: () => openMongo(address, folder, patience),
    fsck: () => openMongoCheck(address, patience),
    async [Symbol.asyncDispose]() {
      await dropDatabase(address);
      await rm(folder, { recursive: true });
    },
  };
}

/** Changes the database behind Cairn's back. */
async function change<Result>(
  { address }: Place,
  work: (database: Database) => Promise<Result>,
): Promise<Result> {
  await using database = await Database.connect(databaseClient(address.url), address.name);
  return await work(database);
}

/** Replaces a document by what a change makes of it. @returns what brings it back. */
async function replace(
  place: Place,
  collection: string,
  filter: Document,
  changed: (document: Document) => Document,
): Promise<() => Promise<void>> {
  return await change(place, async (database) => {
    const documents = database.collection<Document>(collection);
    const before = (await documents.findOne(filter)) ?? expect.fail();
    await documents.replaceOne({ _id: before._id }, changed(before));
    return () =>
      change(place, async (again) => {
        await again
          .collection<Document>(collection)
          .replaceOne({ _id: before._id }, before, { upsert: true });
      });
  });
}

async function remove(place: Place, collection: string, filter: Document): Promise<() => Promise<void>> {
  return await change(place, async (database) => {
    const before = (await database.collection<Document>(collection).findOne(filter)) ?? expect.fail();
    await database.collection(collection).deleteOne({ _id: before._id });
    return () =>
      change(place, async (again) => void (await again.collection<Document>(collection).insertOne(before)));
  });
}

async function insert(place: Place, collection: string, document: Document): Promise<() => Promise<void>> {
  const { insertedId } = await change(place, (database) =>
    database.collection<Document>(collection).insertOne(document),
  );
  return () =>
    change(
      place,
      async (database) => void (await database.collection(collection).deleteOne({ _id: insertedId })),
    );
}

const target = ({ statements }: Filled) => statements[12] ?? expect.fail();
const name = (cid: Cid) => `${multihashes[cid.multihash].toString(16)}-${digestHex(cid)}`;

/** Damage of the document of a statement. */
function ofStatement(changed: (document: Document) => Document): Damage<Place>['do'] {
  return (place, filled) => replace(place, 'statements', { _id: target(filled).jcsCid.digest }, changed);
}

/** Damage of a chunk of a file. */
async function ofChunk(
  place: Place,
  bucket: 'blobs' | 'exports',
  filename: string,
  work: (filter: Document) => Promise<() => Promise<void>>,
) {
  const file = await change(place, (database) =>
    database.collection(`${bucket}.files`).findOne({ filename }),
  );
  return await work({ files_id: file?._id, n: 0 });
}

function flipped(document: Document): Document {
  const data = Buffer.from(document.data);
  data.writeUInt8(data.readUInt8(3) ^ 1, 3);
  return { ...document, data };
}

const isStatement: Damage<Place>['finds'] = (filled) => [['statement', target(filled).jcsCid.text]];
const repaired = (what: string, changed: (document: Document) => Document): Damage<Place> => ({
  name: what,
  do: async (place, filled) => void (await ofStatement(changed)(place, filled)),
  finds: isStatement,
  after: 'repaired',
});
const hoursAgo = (hours: number) => new Date(Date.now() - hours * 3_600_000);

const damages: readonly Damage<Place>[] = [
  {
    name: 'a flipped byte in a blob',
    do: (place, { blob }) =>
      ofChunk(place, 'blobs', name(blob), (filter) => replace(place, 'blobs.chunks', filter, flipped)),
    finds: ({ blob }) => [['blob', blob.text]],
    after: 'kept',
  },
  {
    name: 'a missing chunk of a blob',
    do: (place, { sha256Blob }) =>
      ofChunk(place, 'blobs', name(sha256Blob), (filter) => remove(place, 'blobs.chunks', filter)),
    finds: ({ sha256Blob }) => [['blob', sha256Blob.text]],
    after: 'kept',
  },
  {
    name: 'a blob that does not say how large its chunks are',
    do: (place, { blob }) =>
      replace(place, 'blobs.files', { filename: name(blob) }, ({ chunkSize: _, ...file }) => file),
    finds: ({ blob }) => [['blob', blob.text]],
    after: 'kept',
  },
  {
    name: 'a blob of a size that is none',
    do: (place, { blob }) =>
      replace(place, 'blobs.files', { filename: name(blob) }, (file) => ({ ...file, length: 'large' })),
    finds: ({ blob }) => [['blob', blob.text]],
    after: 'kept',
  },
  {
    name: 'a chunk that has no bytes',
    do: (place, { blob }) =>
      ofChunk(place, 'blobs', name(blob), (filter) =>
        replace(place, 'blobs.chunks', filter, ({ data: _, ...chunk }) => chunk),
      ),
    finds: ({ blob }) => [['blob', blob.text]],
    after: 'kept',
  },
  {
    name: 'a result without a name',
    do: (place, { resultName }) =>
      replace(place, 'exports.files', { filename: resultName }, ({ filename: _, ...file }) => file),
    finds: ({ doneJob }) => [
      ['job', doneJob],
      ['result', /./],
    ],
    after: 'kept',
  },
  {
    name: 'the missing document of a context',
    do: (place, { context }) => remove(place, 'blobs.files', { filename: name(context) }),
    finds: ({ unverified, imported }) => [
      ['context-set', unverified.contextSet],
      ['attachment', imported.graphId],
    ],
    after: 'kept',
  },
  {
    name: 'a changed byte of a statement',
    do: ofStatement((document) => ({
      ...document,
      jcs: Buffer.from(String(document.jcs).replace('2026', '2025')),
    })),
    finds: isStatement,
    after: 'kept',
  },
  {
    name: 'a statement that does not name its contexts',
    do: ofStatement(({ contextSet: _, ...document }) => document),
    finds: isStatement,
    after: 'kept',
  },
  {
    name: 'a document that is no statement',
    do: (place) => insert(place, 'statements', { _id: 'no digest' }),
    finds: () => [['statement', 'no digest']],
    after: 'kept',
  },
  repaired('the kind of a statement that is not its own', (document) => ({ ...document, kind: 'Other' })),
  repaired('the id of a statement that is not its own', (document) => ({
    ...document,
    rdfc: Buffer.alloc(32),
  })),
  repaired('the time of a statement that is not its own', (document) => ({ ...document, time: 1 })),
  repaired('a missing entry of a reference', (document) => ({
    ...document,
    references: document.references.slice(1),
  })),
  repaired('one entry more than there are references', (document) => ({
    ...document,
    references: [...document.references, 'did:web:made-up\t1'],
  })),
  repaired('an entry of another place', (document) => ({
    ...document,
    references: document.references.map((entry: string) => entry.replace(/\d+$/, '1')),
  })),
  repaired('a statement without anything that is derived from it', ({ _id, jcs, ...document }) => {
    const { contextSet, graphs, projects, position } = document;
    return { _id, jcs, contextSet, graphs, projects, position };
  }),
  {
    name: 'a statement in a graph that does not exist',
    do: async (place, filled) =>
      void (await ofStatement((document) => ({ ...document, graphs: [...document.graphs, new ObjectId()] }))(
        place,
        filled,
      )),
    finds: (filled) => [['membership', target(filled).jcsCid.text]],
    after: 'repaired',
  },
  {
    name: 'a statement that is not listed under the project of its graph',
    do: async (place, filled) =>
      void (await ofStatement((document) => ({ ...document, projects: [] }))(place, filled)),
    finds: (filled) => [['index', target(filled).jcsCid.text]],
    after: 'repaired',
  },
  {
    name: 'a statement without a place in the order of statements',
    do: ofStatement(({ position: _, ...document }) => document),
    finds: isStatement,
    after: 'kept',
  },
  {
    name: 'documents of a graph that does not exist',
    do: (place) =>
      insert(place, 'attachments', { graph: new ObjectId(), part: 0, contexts: [], anchors: [] }),
    finds: () => [['attachment', /./]],
    after: 'kept',
  },
  {
    name: 'a statement that is verified and unverified',
    async do(place, filled) {
      const document = await change(place, (database) =>
        database.collection<Document>('statements').findOne({ _id: target(filled).jcsCid.digest }),
      );
      await insert(place, 'unverified_statements', document ?? expect.fail());
    },
    finds: (filled) => [['duplicate', target(filled).jcsCid.text]],
    after: 'repaired',
  },
  {
    name: 'a missing index',
    do: (place) =>
      change(place, async (database) => void (await database.db.collection('statements').dropIndex('kind'))),
    finds: () => [['index', 'statements.kind']],
    after: 'repaired',
  },
  {
    name: 'another index under the name of one',
    do: async (place) => {
      const set = (key: Record<string, 1 | -1>) =>
        change(place, async (database) => {
          await database.db.collection('jobs').dropIndex('expiry');
          await database.db.collection('jobs').createIndex(key, { name: 'expiry' });
        });
      await set({ createdAt: 1 });
      return () => set({ expiresAt: 1 });
    },
    finds: () => [['index', 'jobs.expiry']],
    after: 'kept',
  },
  {
    name: 'a graph without its parent',
    do: (place, { child }) =>
      replace(place, 'graphs', { graphId: child.graphId }, (graph) => ({ ...graph, parentId: 'nobody' })),
    finds: ({ child }) => [['graph', child.graphId]],
    after: 'kept',
  },
  {
    name: 'a graph without a name',
    do: (place, { child }) =>
      replace(place, 'graphs', { graphId: child.graphId }, (graph) => ({ ...graph, name: null })),
    finds: ({ child }) => [['graph', child.graphId]],
    after: 'kept',
  },
  {
    name: 'a graph that has lost its id',
    do: (place, { child }) =>
      replace(place, 'graphs', { graphId: child.graphId }, ({ graphId: _, ...graph }) => graph),
    finds: () => [['graph', /key \w/]],
    after: 'kept',
  },
  {
    name: 'a list of contexts of a graph that is none',
    do: (place) => replace(place, 'attachments', { part: 0 }, (part) => ({ ...part, contexts: null })),
    finds: ({ imported }) => [['attachment', imported.graphId]],
    after: 'kept',
  },
  {
    name: 'contexts of a graph that are none',
    do: (place) => replace(place, 'attachments', { part: 0 }, (part) => ({ ...part, contexts: [null, 5] })),
    finds: ({ imported }) => [['attachment', imported.graphId]],
    after: 'kept',
  },
  {
    name: 'graphs that are their own ancestors',
    do: (place, { root, child }) =>
      replace(place, 'graphs', { graphId: root.graphId }, (graph) => ({ ...graph, parentId: child.graphId })),
    finds: ({ root, child, imported }) => [root, child, imported].map(({ graphId }) => ['graph', graphId]),
    after: 'kept',
  },
  {
    name: 'limits that nobody can serve with',
    do: (place) =>
      replace(place, 'settings', { _id: 'run_time_limits' }, ({ _id }) => ({ _id, limits: { some: 1 } })),
    finds: () => [['limits', 'run-time limits']],
    after: 'kept',
  },
  {
    name: 'a job whose request is none',
    do: (place, { doneJob }) => replace(place, 'jobs', { _id: doneJob }, (job) => ({ ...job, request: {} })),
    finds: ({ doneJob }) => [['job', doneJob]],
    after: 'kept',
  },
  {
    name: 'a job that is running and nobody works on',
    do: (place, { doneJob }) =>
      replace(place, 'jobs', { _id: doneJob }, (job) => ({ ...job, state: 'running', heardAt: null })),
    finds: ({ doneJob }) => [['job', doneJob]],
    after: 'kept',
  },
  {
    name: 'a job of nobody',
    do: (place, { doneJob }) => replace(place, 'jobs', { _id: doneJob }, (job) => ({ ...job, owner: null })),
    finds: ({ doneJob }) => [['job', doneJob]],
    after: 'kept',
  },
  {
    name: 'a user with a role that is none',
    do: (place, { user }) => replace(place, 'users', { _id: user.id }, (one) => ({ ...one, role: 'owner' })),
    finds: ({ user }) => [['user', user.id]],
    after: 'kept',
  },
  {
    name: 'a user who is indexed under the e-mail of somebody else',
    do: (place, { user }) =>
      replace(place, 'users', { _id: user.id }, (one) => ({ ...one, foldedEmail: 'eve@example.com' })),
    finds: ({ user }) => [['user', user.id]],
    after: 'kept',
  },
  {
    name: 'a session without an end',
    do: (place, { session }) =>
      replace(place, 'sessions', { _id: session.key }, ({ expiresAt: _end, ...rest }) => rest),
    finds: ({ session }) => [['session', session.key]],
    after: 'kept',
  },
  {
    name: 'an audit record without an action',
    do: (place, { auditRecord }) =>
      replace(place, 'audit_log', { _id: auditRecord.id }, ({ action: _action, ...rest }) => rest),
    finds: ({ auditRecord }) => [['audit record', auditRecord.id]],
    after: 'kept',
  },
  {
    name: 'a missing result',
    do: (place, { resultName }) => remove(place, 'exports.files', { filename: resultName }),
    finds: ({ doneJob }) => [['job', doneJob]],
    after: 'kept',
  },
  {
    name: 'a flipped byte in a result',
    do: (place, { resultName }) =>
      ofChunk(place, 'exports', resultName, (filter) => replace(place, 'exports.chunks', filter, flipped)),
    finds: ({ doneJob }) => [['job', doneJob]],
    after: 'kept',
  },
  {
    name: 'a stray result',
    async do(place) {
      await using store = await place.open();
      const staged = await store.exportResults.stage();
      await staged.write(Buffer.from('stray'));
      await staged.commit(`${randomUUID()}.s`);
    },
    finds: () => [['result', /\.s$/]],
    after: 'removed',
  },
  {
    name: 'an old upload that was cut off, and no young one',
    async do(place) {
      const chunk = (hours: number) => ({
        files_id: new ObjectId(ObjectId.generate(hoursAgo(hours).getTime() / 1_000)),
        n: 0,
        data: Buffer.from('half'),
      });
      await insert(place, 'blobs.chunks', chunk(30));
      return await insert(place, 'blobs.chunks', chunk(1));
    },
    finds: () => [['upload', /blobs/]],
    after: 'removed',
  },
  {
    name: 'chunks of an old upload that has lost its first one',
    async do(place) {
      const files_id = new ObjectId(ObjectId.generate(hoursAgo(30).getTime() / 1_000));
      for (const n of [1, 2]) await insert(place, 'blobs.chunks', { files_id, n, data: Buffer.from('half') });
    },
    finds: () => [['upload', /blobs/]],
    after: 'removed',
  },
  {
    name: 'an old import that was cut off, and no young one',
    async do(place, { root, unverified, statements }) {
      await using store = await place.open();
      const coming = await store.graphImports.begin(root.projectId);
      await coming.put([...statements.slice(0, 3), unverified]);
      const age = async () => {
        const newest = await change(place, (database) =>
          database.collection<Document>('graphs').find().sort({ _id: -1 }).limit(1).next(),
        );
        const importing = hoursAgo(30);
        await replace(place, 'graphs', { _id: newest?._id }, (graph) => ({ ...graph, importing }));
      };
      await age();
      const young = await store.graphImports.begin(root.projectId);
      await young.put(statements.slice(0, 3));
      return async () => {
        await age();
        await using fsck = await place.fsck();
        await runFsck(fsck, { repair: true });
      };
    },
    finds: () => [['import', /key/]],
    after: 'removed',
  },
];

describeMongo('the audit of a store on MongoDB', () => {
  storeFsckContract(newPlace, damages);

  test('takes nothing for damage that other processes are about to store or to forget', async () => {
    await using place = await newPlace();
    await using store = await place.open();
    const { root } = await fill(store);
    let isOver = false;
    const write = async () => {
      for (let round = 0; !isOver; round += 1) {
        const graph = { ...newGraph(`round ${round}`), parentId: root.graphId, projectId: root.projectId };
        await store.graphs.add(graph);
        await putBlob(store.blobs, randomBytes(10), 'blake3');
        const coming = await store.graphImports.begin(root.projectId);
        await coming.put(Array.from({ length: 20 }, (_, at) => forged(`import ${round} ${at}`)));
        if (round % 2 === 0) await coming.abandon();
        else await coming.publish({ ...graph, graphId: randomUUID() }, { contexts: [], anchors: [] });
      }
    };
    /** Their contexts are those of nobody: they are told as unchecked, and nothing else of them. */
    const forged = (text: string) => row(text, { isTrusted: false });
    const writing = write();
    await using fsck = await place.fsck();
    for (let round = 0; round < 5; round += 1) {
      const { problems } = await runFsck(fsck);
      expect(problems.filter(({ kind }) => kind !== 'context-set')).toEqual([]);
    }
    isOver = true;
    await writing;
  });

  test('leaves a row as it is that has become a trusted one meanwhile', async () => {
    await using place = await newPlace();
    await using store = await place.open();
    const { unverified } = await fill(store);
    await using fsck = await place.fsck();
    const wrong = { ...unverified, kind: 'Wrong', graphIds: [] };
    await store.statements.putMany([{ ...unverified, isTrusted: true }], null);
    expect(await fsck.rewrite(wrong)).toBe(false);
    const found = await store.statements.byJcsCid(unverified.jcsCid, { projects: 'all' });
    expect(found?.kind).toBe(unverified.kind);
  });

  test('is refused where there is no store, and makes none', async () => {
    const address = newDatabase();
    await expect(openMongoCheck(address, patience)).rejects.toMatchObject({ code: 'not_found' });
    await using database = await Database.connect(databaseClient(address.url), address.name);
    expect(await database.db.collections()).toEqual([]);
  });
});
