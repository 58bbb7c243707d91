import { everythingVisible } from '../../../domain/access/visibility.ts';
import type { Collection } from '../../../domain/collections/collection.ts';
import type { Graph } from '../../../domain/integrity/ports.ts';
import { type Job, jobs } from '../../../domain/jobs/jobs.ts';
import type { RecordEntry, StoreContents } from '../../../domain/maintenance/fsck/ports.ts';
import { blobPlaces } from '../blobs/blob-places.ts';
import { MongoBlobs } from '../blobs/blobs.ts';
import { type RecordDocument, recordOf } from '../collections/documents.ts';
import { MongoRecords } from '../collections/records.ts';
import type { Database } from '../database.ts';
import { translated } from '../errors.ts';
import { MongoGraphContents } from '../graphs/graph-contents.ts';
import { type GraphDocument, graphCollection, graphOf } from '../graphs/graph-documents.ts';
import type { GraphNumbers } from '../graphs/graph-numbers.ts';
import { MongoGraphs } from '../graphs/graphs.ts';
import { MongoExportResults } from '../jobs/export-results.ts';
import { statementCollection } from '../statements/statement-documents.ts';
import { readBlobs } from './blobs.ts';
import { pagesByKey } from './pages.ts';
import { readStatements } from './statements.ts';

const pageGraphs = 1_000;
const pageRecords = 100;

/** Everything that a database has, as it stands. */
export function mongoContents(database: Database, numbers: GraphNumbers): StoreContents {
  const places = blobPlaces(database);
  const graphs = new MongoGraphs(database);
  const graphContents = new MongoGraphContents(database);
  const jobRecords = new MongoRecords<Job, never>(database, jobs);
  return {
    counts: () =>
      translated(async () => ({
        statements: await statementCollection(database).estimatedDocumentCount(),
        blobs: await places.files.estimatedDocumentCount(),
      })),
    blobs: () => readBlobs(places),
    blobStore: new MongoBlobs(places),
    statements: (isWanted) => readStatements(database, numbers, isWanted),
    graphs: () => readGraphs(database),
    graph: (graphId) => graphs.get(graphId),
    attachments: (graphId) => graphContents.attachments([graphId], everythingVisible),
    records: (declared) => readRecords(database, declared),
    job: (id) => jobRecords.get(id),
    exportResults: new MongoExportResults(blobPlaces(database, 'exports')),
  };
}

/** Those that are being imported are none yet. */
async function* readGraphs(database: Database): AsyncGenerator<readonly Graph[]> {
  const isGraph = (document: GraphDocument) => typeof document.graphId === 'string';
  for await (const page of pagesByKey(graphCollection(database), { first: 0, limit: pageGraphs }))
    yield page.filter(isGraph).map(graphOf);
}

async function* readRecords(
  database: Database,
  declared: Collection,
): AsyncGenerator<readonly RecordEntry[]> {
  const documents = database.collection<RecordDocument>(declared.name);
  for await (const page of pagesByKey(documents, { first: '', limit: pageRecords }))
    yield page.map((document) => ({ id: document._id, record: recordOf(declared, document) }));
}
