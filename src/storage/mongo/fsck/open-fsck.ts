import { type IndexDescriptionInfo, MongoServerError, ObjectId } from 'mongodb';
import type { Collection } from '../../../domain/collections/collection.ts';
import { ServiceError } from '../../../domain/errors.ts';
import type { Graph } from '../../../domain/integrity/ports.ts';
import type { CheckedDatabase } from '../../../domain/maintenance/contents.ts';
import {
  lost,
  orphan,
  type Repairing,
  repairable,
  type StoreProblem,
} from '../../../domain/maintenance/problems.ts';
import { bucketFiles, bucketNames, oldUploads, removeUploads } from '../buckets/bucket-files.ts';
import { documentOf, type RecordDocument, recordOf } from '../collections/documents.ts';
import { mongoRecords } from '../collections/records.ts';
import type { Database, DatabaseAddress } from '../database.ts';
import { storageError, translated, translatedEach } from '../errors.ts';
import { graphCollection, graphOf } from '../graphs/graph-documents.ts';
import { forgetImport, oldImports } from '../graphs/graph-imports.ts';
import { mongoGraphs } from '../graphs/graphs.ts';
import { RegisteredGraphs } from '../graphs/registered-graphs.ts';
import { type CollectionIndexes, createIndexes } from '../indexes.ts';
import { mongoLoggedRows } from '../log/unlogged.ts';
import { mongoUnloggedRows } from '../log/unlogged-rows.ts';
import { openExisting, type Patience } from '../open-database.ts';
import { pagesByKey } from '../some-documents.ts';
import { countBoth, statementCollections } from '../statements/statement-documents.ts';
import { storeIndexes } from '../store-indexes.ts';
import { derivedData } from './derived.ts';
import { statementPages, statementRewriting, storedStatements } from './statements.ts';

const pageGraphs = 1_000;
const pageRecords = 100;

/**
 * Opens a database as it is. Other processes may use it. Opening changes nothing in it.
 * @throws ServiceError that names the server and what to do; `not_found` if the database has no store.
 */
export async function openMongoFsck(
  address: DatabaseAddress,
  patience: Patience,
): Promise<CheckedDatabase & { readonly connection: Database }> {
  const database = await openExisting(address, patience);
  const registered = new RegisteredGraphs(database);
  const graphs = mongoGraphs(database, registered);
  const { verified, unverified } = statementCollections(database);
  return {
    connection: database,
    place: database.place,
    statementCount: () =>
      translated(() => countBoth(database, (statements) => statements.estimatedDocumentCount())),
    async *statements(isWanted) {
      yield* statementPages(verified, 'verified', registered, isWanted);
      yield* statementPages(unverified, 'unverified', registered, isWanted);
    },
    graphs: () => registeredGraphs(database),
    graph: (graphId) => graphs.get(graphId),
    attachments: (graphId) => registered.attachments([graphId]),
    records: (declared) => recordPages(database, declared),
    of: (declared) => mongoRecords(database, declared),
    loggedRows: mongoLoggedRows(database),
    unlogged: mongoUnloggedRows(database, registered),
    now: () => database.now(),
    database: (run) => translatedEach(fsckDatabase(database, run)),
    hasStatements: (cids) => storedStatements(database, cids),
    putRecord: (declared, record) => replaceRecord(database, declared, record),
    removeRecord: async (declared, key) => void (await mongoRecords(database, declared).remove(key)),
    rewrite: statementRewriting(database),
    derived: derivedData(database, registered),
    orphans: (run) => translatedEach(fsckOrphans(database, run)),
    [Symbol.asyncDispose]: () => database[Symbol.asyncDispose](),
  };
}

async function replaceRecord(database: Database, declared: Collection, record: object): Promise<void> {
  const { _id, ...rest } = documentOf(declared, record);
  const documents = database.collection<RecordDocument>(declared.name);
  await translated(() => documents.replaceOne({ _id }, rest, { upsert: true }));
}

async function* registeredGraphs(database: Database): AsyncGenerator<Graph> {
  const options = { first: ObjectId.createFromTime(0), limit: pageGraphs };
  for await (const page of pagesByKey(graphCollection(database), options))
    for (const document of page) if (!('importing' in document)) yield graphOf(document);
}

async function* recordPages(database: Database, declared: Collection) {
  const documents = database.collection<RecordDocument>(declared.name);
  for await (const page of pagesByKey(documents, { first: '', limit: pageRecords }))
    yield page.map((document) => ({ id: document._id, record: recordOf(declared, document) }));
}

/** Uploads and imports that are too old to be in progress in another process. */
async function* fsckOrphans(database: Database, { repair }: Repairing): AsyncGenerator<StoreProblem> {
  const now = database.now();
  for (const name of bucketNames) {
    const bucket = bucketFiles(database, name);
    for await (const { cutOff } of oldUploads(bucket, now)) {
      if (repair) await removeUploads(bucket, cutOff);
      for (const id of cutOff) yield orphan('upload', `${name} ${id}`, 'It was interrupted', { repair });
    }
  }
  for (const { _id, importing } of await oldImports(database, now)) {
    if (repair) await forgetImport(database, _id);
    const problem = `Nothing was added to it since ${importing.toISOString()}`;
    yield orphan('import', `key ${_id}`, problem, { repair });
  }
}

/** Compares the indexes with their declarations. The server keeps what is in them. */
async function* fsckDatabase(database: Database, { repair }: Repairing): AsyncGenerator<StoreProblem> {
  for (const wanted of storeIndexes) {
    const there = await indexesOf(database, wanted.collection);
    for (const index of wanted.indexes) {
      const name = `${wanted.collection}.${index.name}`;
      const found = there.find((one) => one.name === index.name);
      if (!found) yield await missing(database, { ...wanted, indexes: [index] }, name, { repair });
      else if (!isSame(found, index))
        yield lost('index', name, 'There is another index of this name', 'Drop it, then repair.');
    }
  }
}

function isSame(found: IndexDescriptionInfo, wanted: CollectionIndexes['indexes'][number]): boolean {
  const isUnique = Boolean(found.unique) === Boolean(wanted.unique);
  return isUnique && JSON.stringify(found.key) === JSON.stringify(wanted.key);
}

async function missing(database: Database, wanted: CollectionIndexes, name: string, { repair }: Repairing) {
  try {
    if (repair) await createIndexes(database, [wanted]);
    return repairable('index', name, 'This index is missing', { repair });
  } catch (error) {
    if (!(error instanceof ServiceError)) throw storageError(error);
    return lost('index', name, `This index is missing: ${error.message}`, 'Then repair again.');
  }
}

async function indexesOf({ db }: Database, collection: string): Promise<IndexDescriptionInfo[]> {
  try {
    return await db.collection(collection).indexes();
  } catch (error) {
    const isNoCollection = error instanceof MongoServerError && error.code === 26;
    if (isNoCollection) return [];
    throw storageError(error);
  }
}
