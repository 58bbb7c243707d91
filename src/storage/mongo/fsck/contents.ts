import { ObjectId } from 'mongodb';
import type { Graph } from '../../../domain/integrity/ports.ts';
import type { Job } from '../../../domain/jobs/jobs.ts';
import type { StoreContents, Unreadable } from '../../../domain/maintenance/fsck/ports.ts';
import { blobPlaces } from '../blobs/blob-places.ts';
import { MongoBlobs } from '../blobs/blobs.ts';
import type { Database } from '../database.ts';
import { translated } from '../errors.ts';
import { type GraphDocument, graphCollection, graphOf } from '../graphs/graph-documents.ts';
import { MongoGraphs } from '../graphs/graphs.ts';
import type { RegisteredGraphs } from '../graphs/registered-graphs.ts';
import { MongoExportResults } from '../jobs/export-results.ts';
import { type JobDocument, jobOf, MongoJobs } from '../jobs/jobs.ts';
import { limitsId } from '../limits/run-time-limits.ts';
import { countBoth, statementCollections } from '../statements/statement-documents.ts';
import { MongoUsers } from '../users/users.ts';
import { readAuditLog, readSessions, readUsers } from './access.ts';
import { readBlobs } from './blobs.ts';
import { pagesByKey } from './pages.ts';
import { readStatements } from './statements.ts';

const pageGraphs = 1_000;
const pageJobs = 20;

/** Everything that a database has, as it stands. */
export function mongoContents(database: Database, registered: RegisteredGraphs): StoreContents {
  const places = blobPlaces(database);
  const graphs = new MongoGraphs(database);
  const { verified, unverified } = statementCollections(database);
  const jobs = new MongoJobs(database);
  const users = new MongoUsers(database);
  return {
    counts: () =>
      translated(async () => ({
        statements: await countBoth(database, (statements) => statements.estimatedDocumentCount()),
        blobs: await places.files.estimatedDocumentCount(),
      })),
    blobs: () => readBlobs(places),
    blobStore: new MongoBlobs(places),
    async *statements(isWanted) {
      yield* readStatements(verified, true, registered, isWanted);
      yield* readStatements(unverified, false, registered, isWanted);
    },
    graphs: () => readGraphs(database),
    graph: (graphId) => graphs.get(graphId),
    attachments: (graphId) => registered.attachments([graphId]),
    jobs: () => readJobs(database),
    job: (id) => jobs.get(id),
    exportResults: new MongoExportResults(blobPlaces(database, 'exports')),
    users: () => readUsers(database),
    hasUser: async (id) => (await users.get(id)) !== undefined,
    sessions: () => readSessions(database),
    auditRecords: () => readAuditLog(database),
    async runTimeLimits() {
      const settings = database.collection<{ _id: string; limits: unknown }>('settings');
      const found = await translated(() => settings.findOne({ _id: limitsId }));
      return found ? (found.limits ?? null) : undefined;
    },
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

async function* readJobs(database: Database): AsyncGenerator<readonly (Job | Unreadable)[]> {
  const jobs = database.collection<JobDocument>('jobs');
  for await (const page of pagesByKey(jobs, { first: '', limit: pageJobs })) yield page.map(readJob);
}

/** A running job without a heartbeat would never be taken over. */
function readJob(document: JobDocument): Job | Unreadable {
  const isNobodys = document.state === 'running' && typeof document.heardAt !== 'number';
  return isNobodys ? { id: document._id, problem: 'It is running, and by nobody' } : jobOf(document);
}
