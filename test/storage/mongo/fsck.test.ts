import { randomBytes, randomUUID } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { type Document, ObjectId } from 'mongodb';
import { expect, test } from 'vitest';
import { type Cid, digestHex } from '../../../src/domain/integrity/identifiers/cid.ts';
import { multihashes } from '../../../src/domain/integrity/identifiers/hashing.ts';
import { Database, type DatabaseAddress, databaseClient } from '../../../src/storage/mongo/database.ts';
import { openMongo, openMongoCheck } from '../../../src/storage/open.ts';
import { packNamed } from '../../builders/exchanges.ts';
import { newGraph } from '../../builders/graphs.ts';
import { row } from '../../builders/rows.ts';
import { type Filled, fill, putBlob } from '../../contract/filled-store.ts';
import { fsckCredentialsContract } from '../../contract/fsck-credentials.ts';
import {
  type ContentDamage,
  type DerivedDamage,
  type FsckPlace,
  type Orphan,
  runFsck,
  storeFsckContract,
} from '../../contract/store-fsck.ts';
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
    derivedData: () => derivedData(address),
    async [Symbol.asyncDispose]() {
      await dropDatabase(address);
      await rm(folder, { recursive: true });
    },
  };
}

/** What can be derived from the bytes of statements, and the indexes. */
async function derivedData({ url, name }: DatabaseAddress): Promise<unknown> {
  await using database = await Database.connect(databaseClient(url), { url, name });
  const derived = [
    'statements',
    'unverified_statements',
    'names',
    'blob_hashes',
    'retractions',
    'state_blobs',
  ];
  const collections = derived.map(async (name) => {
    const collection = database.collection<Document>(name);
    const indexes = (await collection.indexes()).map((index) => index.name).toSorted();
    const found = await collection
      .find({}, { projection: { createdAt: 0 } })
      .sort({ _id: 1 })
      .toArray();
    return { documents: found.map(withArrays), indexes };
  });
  return await Promise.all(collections);
}

/** A single graph or project means the same as an array of one. */
function withArrays({ graphs, projects, ...document }: Document): Document {
  return { ...document, graphs: [graphs].flat(), projects: [projects].flat().toSorted() };
}

/** Changes the database directly. */
async function change<Result>(
  { address }: Place,
  work: (database: Database) => Promise<Result>,
): Promise<Result> {
  await using database = await Database.connect(databaseClient(address.url), address);
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

/** Damage of a chunk of a file. */
async function ofChunk(
  place: Place,
  filename: string,
  work: (filter: Document) => Promise<() => Promise<void>>,
) {
  const file = await change(place, (database) => database.collection('blobs.files').findOne({ filename }));
  return await work({ files_id: file?._id, n: 0 });
}

function flipped(document: Document): Document {
  const data = Buffer.from(document.data);
  data.writeUInt8(data.readUInt8(3) ^ 1, 3);
  return { ...document, data };
}

const hoursAgo = (hours: number) => new Date(Date.now() - hours * 3_600_000);

/** Changes a document, as `replace` does. */
function document(
  name: string,
  collection: string,
  filter: (filled: Filled) => Document,
  changed: (document: Document, filled: Filled) => Document,
  finds: ContentDamage<Place>['finds'],
): ContentDamage<Place> {
  const damage = (place: Place, filled: Filled) =>
    replace(place, collection, filter(filled), (found) => changed(found, filled));
  return { name, do: damage, finds };
}

/** Changes the document of any statement. */
function ofStatement(name: string, changed: (document: Document) => Document): DerivedDamage<Place> {
  return ofAny(name, 'statements', {}, changed);
}

function ofAny(
  name: string,
  collection: string,
  filter: Document,
  changed: (document: Document) => Document,
): DerivedDamage<Place> {
  return {
    name,
    do: (place, at) =>
      change(place, async (database) => {
        const documents = database.collection<Document>(collection);
        const found = await documents.find(filter).sort({ _id: 1 }).toArray();
        const one = found[at % found.length] ?? expect.fail(`There is nothing in ${collection}.`);
        await documents.replaceOne({ _id: one._id }, changed(one));
      }),
  };
}

const derived: readonly DerivedDamage<Place>[] = [
  ofStatement('another kind of a statement', (one) => ({ ...one, kind: 'Other' })),
  ofStatement('another id of a statement', (one) => ({ ...one, rdfc: Buffer.alloc(32) })),
  ofStatement('another time of a statement', (one) => ({ ...one, time: 1 })),
  ofStatement('a missing reference', (one) => ({ ...one, references: one.references.slice(1) })),
  ofStatement('a reference too many', (one) => ({
    ...one,
    references: [...one.references, 'did:web:made-up\t1'],
  })),
  ofStatement('a reference from another place', (one) => ({
    ...one,
    references: one.references.map((entry: string) => entry.replace(/\d+$/, '1')),
  })),
  ofAny('another time of an unverified statement', 'unverified_statements', {}, (one) => ({
    ...one,
    time: 1,
  })),
  {
    name: 'a missing name',
    do: (place) => change(place, async ({ db }) => void (await db.collection('names').deleteOne({}))),
  },
  ofAny('a wrong name', 'names', {}, (one) => ({ ...one, folded: 'other' })),
  {
    name: 'a missing retraction',
    do: (place) => change(place, async ({ db }) => void (await db.collection('retractions').deleteOne({}))),
  },
  ofAny('a wrong digest', 'blob_hashes', {}, (one) => ({ ...one, git: 'other' })),
  ofAny('a wrong retraction', 'retractions', {}, (one) => ({ ...one, subject: 'other', withdrawn: 'other' })),
  {
    name: 'a missing state blob',
    do: (place) => change(place, async ({ db }) => void (await db.collection('state_blobs').deleteOne({}))),
  },
  ofStatement('a statement of a graph that does not exist', (one) => ({
    ...one,
    graphs: [one.graphs, new ObjectId()].flat(),
  })),
  ofStatement('a statement of no project', (one) => ({ ...one, projects: [] })),
  ofStatement('nothing derived from a statement', ({ _id, jcs, ...one }) => {
    const { contextSet, graphs, projects, position, registrar } = one;
    return { _id, jcs, contextSet, graphs, projects, position, registrar };
  }),
  {
    name: 'a statement that is verified and unverified',
    do: (place, at) =>
      change(place, async (database) => {
        const found = await database.collection<Document>('statements').find().sort({ _id: 1 }).toArray();
        await database
          .collection('unverified_statements')
          .insertOne(found[at % found.length] ?? expect.fail());
      }),
  },
  {
    name: 'a missing index',
    do: (place, at) =>
      change(place, async ({ db }) => {
        const names = (await db.collection('statements').indexes()).map(({ name }) => String(name));
        const droppable = names.filter((name) => name !== '_id_').toSorted();
        await db.collection('statements').dropIndex(String(droppable[at % droppable.length]));
      }),
  },
];

const content: readonly ContentDamage<Place>[] = [
  {
    name: 'a flipped byte in a blob',
    do: (place, { blob }) =>
      ofChunk(place, name(blob), (filter) => replace(place, 'blobs.chunks', filter, flipped)),
    finds: ({ blob }) => [['blob', blob.text]],
  },
  {
    name: 'a missing chunk of a blob',
    do: (place, { sha256Blob }) =>
      ofChunk(place, name(sha256Blob), (filter) => remove(place, 'blobs.chunks', filter)),
    finds: ({ sha256Blob }) => [['blob', sha256Blob.text]],
  },
  {
    name: 'the missing document of a context',
    do: (place, { context }) => remove(place, 'blobs.files', { filename: name(context) }),
    finds: ({ unverified, imported }) => [
      ['context-set', unverified.contextSet],
      ['attachment', imported.graphId],
    ],
  },
  {
    name: 'a flipped byte in the result of an export',
    do: (place, { resultName }) => replace(place, 'exports.files', { filename: resultName }, flipped),
    finds: ({ doneJob }) => [['job', doneJob]],
  },
  {
    name: 'a flipped byte in the body of an exchange',
    do: (place, { packName }) => replace(place, 'sealed.files', { filename: packName }, flipped),
    finds: ({ exchangeKey }) => [['sealed', `audit_exchanges/${exchangeKey}`]],
  },
  {
    name: 'a missing body of an exchange',
    do: (place, { packName }) => remove(place, 'sealed.files', { filename: packName }),
    finds: ({ exchangeKey }) => [['sealed', `audit_exchanges/${exchangeKey}`]],
  },
  document(
    'a changed byte of a statement',
    'statements',
    (filled) => ({ _id: target(filled).jcsCid.digest }),
    (one) => ({ ...one, jcs: Buffer.from(String(one.jcs).replace('2026', '2025')) }),
    (filled) => [['statement', target(filled).jcsCid.text]],
  ),
  document(
    'a statement without a place in the order of statements',
    'statements',
    (filled) => ({ _id: target(filled).jcsCid.digest }),
    ({ position: _, ...one }) => one,
    (filled) => [['statement', target(filled).jcsCid.text]],
  ),
  document(
    'a graph whose parent does not exist',
    'graphs',
    ({ child }) => ({ graphId: child.graphId }),
    (graph) => ({ ...graph, parentId: 'nobody' }),
    ({ child }) => [['graph', child.graphId]],
  ),
  document(
    'graphs that are their own ancestors',
    'graphs',
    ({ root }) => ({ graphId: root.graphId }),
    (graph, { child }) => ({ ...graph, parentId: child.graphId }),
    ({ root, child, imported }) => [root, child, imported].map(({ graphId }) => ['graph', graphId]),
  ),
  document(
    'a graph without a name',
    'graphs',
    ({ child }) => ({ graphId: child.graphId }),
    (graph) => ({ ...graph, name: null }),
    ({ child }) => [['graph', child.graphId]],
  ),
  document(
    'malformed contexts of a graph',
    'attachments',
    () => ({ part: 0 }),
    (part) => ({ ...part, contexts: [null, 5] }),
    ({ imported }) => [['attachment', imported.graphId]],
  ),
  document(
    'limits that nobody can work with',
    'run_time_limits',
    () => ({ _id: 'limits' }),
    ({ _id }) => ({ _id, some: 1 }),
    () => [['record', 'run_time_limits/limits']],
  ),
  document(
    'a running job without a worker',
    'jobs',
    ({ doneJob }) => ({ _id: doneJob }),
    (job) => ({ ...job, state: 'running', heardAt: null }),
    ({ doneJob }) => [['record', `jobs/${doneJob}`]],
  ),
  document(
    'a user with an unknown role',
    'users',
    ({ user }) => ({ _id: user.id }),
    (one) => ({ ...one, role: 'owner' }),
    ({ user }) => [['record', `users/${user.id}`]],
  ),
  document(
    'a session without an expiry',
    'sessions',
    ({ session }) => ({ _id: session.key }),
    ({ expiresAt: _, ...rest }) => rest,
    ({ session }) => [['record', `sessions/${session.key}`]],
  ),
  document(
    'an audit record without an action',
    'audit_log',
    ({ auditRecord }) => ({ _id: auditRecord.id }),
    ({ action: _, ...rest }) => rest,
    ({ auditRecord }) => [['record', `audit_log/${auditRecord.id}`]],
  ),
];

const orphans: readonly Orphan<Place>[] = [
  {
    name: 'a result without a job',
    async do(place) {
      await using store = await place.open();
      const staged = await store.exportResults.stage();
      await staged.write(Buffer.from('stray'));
      await staged.commit(`${randomUUID()}.s`);
    },
    finds: ['result', /\.s$/],
  },
  {
    name: 'an old pack without a record, and no young one',
    async do(place) {
      await using store = await place.open();
      for (const time of [1, Date.now()]) {
        const staged = await store.sealedContents.stage();
        await staged.write(Buffer.from('stray'));
        await staged.commit(packNamed(time));
      }
    },
    finds: ['sealed', packNamed(1)],
  },
  {
    name: 'an old interrupted upload, and no young one',
    async do(place) {
      const chunk = (hours: number) => ({
        files_id: new ObjectId(ObjectId.generate(hoursAgo(hours).getTime() / 1_000)),
        n: 0,
        data: Buffer.from('half'),
      });
      await insert(place, 'blobs.chunks', chunk(30));
      return await insert(place, 'blobs.chunks', chunk(1));
    },
    finds: ['upload', /blobs/],
  },
  {
    name: 'an old interrupted import, and no young one',
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
    finds: ['import', /key/],
  },
];

describeMongo('a store on MongoDB', () => {
  storeFsckContract(newPlace, { derived, content, orphans });
  fsckCredentialsContract(newPlace);

  test('has no problem while other processes store and import', async () => {
    await using place = await newPlace();
    await using store = await place.open();
    const { root } = await fill(store);
    let isOver = false;
    const write = async () => {
      for (let round = 0; !isOver; round += 1) {
        const graph = {
          ...newGraph({ name: `round ${round}` }),
          parentId: root.graphId,
          projectId: root.projectId,
        };
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
      // A graph that is being registered is indexed for the search first, and its entry is an orphan for a moment.
      const isExpected = ({ kind, severity }: (typeof problems)[number]) =>
        kind === 'context-set' ||
        severity === 'unfinished' ||
        (kind === 'search-entry' && severity === 'orphan');
      const wrong = problems.filter((problem) => !isExpected(problem));
      expect(wrong).toEqual([]);
    }
    isOver = true;
    await writing;
  });

  test('keeps a row that has become trusted while it was checked', async () => {
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

  test('is not made by fsck where there is none', async () => {
    const address = newDatabase();
    await expect(openMongoCheck(address, patience)).rejects.toMatchObject({ code: 'not_found' });
    await using database = await Database.connect(databaseClient(address.url), address);
    expect(await database.db.collections()).toEqual([]);
  });
});
