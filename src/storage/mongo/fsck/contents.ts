import { ObjectId } from 'mongodb';
import type { Collection } from '../../../domain/collections/collection.ts';
import type { Graph } from '../../../domain/integrity/ports.ts';
import { type Job, jobs } from '../../../domain/jobs/jobs.ts';
import type { RecordEntry, StoreContents } from '../../../domain/maintenance/fsck/ports.ts';
import { blobPlaces } from '../blobs/blob-places.ts';
import { mongoBlobs } from '../blobs/blobs.ts';
import { type RecordDocument, recordOf } from '../collections/documents.ts';
import { mongoRecords } from '../collections/records.ts';
import type { Database } from '../database.ts';
import { translated } from '../errors.ts';
import { type GraphDocument, graphCollection, graphOf } from '../graphs/graph-documents.ts';
import { mongoGraphs } from '../graphs/graphs.ts';
import type { RegisteredGraphs } from '../graphs/registered-graphs.ts';
import { mongoExportResults } from '../jobs/export-results.ts';
import { countBoth, statementCollections } from '../statements/statement-documents.ts';
import { readBlobs } from './blobs.ts';
import { pagesByKey } from './pages.ts';
import { readStatements } from './statements.ts';

const pageGraphs = 1_000;
const pageRecords = 100;

/** Everything that a database has, as it stands. */
export function mongoContents(database: Database, registered: RegisteredGraphs): StoreContents {
  const places = blobPlaces(database);
  const graphs = mongoGraphs(database);
  const jobRecords = mongoRecords<Job, never>(database, jobs);
  const { verified, unverified } = statementCollections(database);
  return {
    counts: () =>
      translated(async () => ({
        statements: await countBoth(database, (statements) => statements.estimatedDocumentCount()),
        blobs: await places.files.estimatedDocumentCount(),
      })),
    blobs: () => readBlobs(places),
    blobStore: mongoBlobs(places),
    async *statements(isWanted) {
      yield* readStatements(verified, true, registered, isWanted);
      yield* readStatements(unverified, false, registered, isWanted);
    },
    graphs: () => readGraphs(database),
    graph: (graphId) => graphs.get(graphId),
    attachments: (graphId) => registered.attachments([graphId]),
    records: (declared) => readRecords(database, declared),
    job: (id) => jobRecords.get(id),
    exportResults: mongoExportResults(blobPlaces(database, 'exports')),
  };
}

/** Without the graphs that are being imported. */
async function* readGraphs(database: Database): AsyncGenerator<readonly Graph[]> {
  const isGraph = (document: GraphDocument) => typeof document.graphId === 'string';
  for await (const page of pagesByKey(graphCollection(database), {
    first: ObjectId.createFromTime(0),
    limit: pageGraphs,
  }))
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
