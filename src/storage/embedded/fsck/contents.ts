import type { DatabaseSync } from 'node:sqlite';
import type { Graph } from '../../../domain/integrity/ports.ts';
import type { StoreContents } from '../../../domain/maintenance/fsck/ports.ts';
import type { BlobPlaces } from '../blobs/blob-places.ts';
import { readError, reading } from '../errors.ts';
import { graphReads } from '../graphs/graph-reads.ts';
import { graphOf } from '../graphs/graphs.ts';
import { limitsSetting } from '../limits/run-time-limits.ts';
import { readAuditLog, readSessions, readUsers, userReading } from './access.ts';
import { countBlobs, readBlobs } from './blobs.ts';
import { readBlobStore, readResults } from './files.ts';
import { jobReading, readJobs } from './jobs.ts';
import { readStatements } from './statements.ts';

const pageGraphs = 1_000;

/** Everything that a data folder has, as it stands. */
export function embeddedContents(reader: DatabaseSync, places: BlobPlaces): StoreContents {
  const statements = reader.prepare(
    'SELECT (SELECT count(*) FROM verified_rows) + (SELECT count(*) FROM unverified_rows) AS count',
  );
  const graph = reader.prepare('SELECT * FROM graphs WHERE graph_id = ?');
  const limits = reader.prepare('SELECT value FROM settings WHERE name = ?');
  const contents = graphReads(reader);
  return {
    async counts() {
      const blobs = await countBlobs(places);
      return { statements: Number(once(() => statements.get())?.count), blobs };
    },
    blobs: () => readBlobs(places),
    blobStore: readBlobStore(places),
    statements: (isWanted) =>
      reading(async function* () {
        yield* readStatements(reader, 'verified', isWanted);
        yield* readStatements(reader, 'unverified', isWanted);
      }),
    graphs: () => reading(() => graphs(reader)),
    async graph(graphId) {
      const row = once(() => graph.get(graphId));
      return row && graphOf(row);
    },
    async attachments(graphId) {
      try {
        return await contents.attachments([graphId]);
      } catch (error) {
        throw readError(error);
      }
    },
    jobs: () => reading(() => readJobs(reader)),
    job: jobReading(reader),
    exportResults: readResults(places),
    users: () => reading(() => readUsers(reader)),
    hasUser: userReading(reader),
    sessions: () => reading(() => readSessions(reader)),
    auditRecords: () => reading(() => readAuditLog(reader)),
    async runTimeLimits() {
      const value = once(() => limits.get(limitsSetting))?.value;
      return value === undefined ? undefined : parsed(String(value));
    },
  };
}

function once<Result>(work: () => Result): Result {
  try {
    return work();
  } catch (error) {
    throw readError(error);
  }
}

function* graphs(reader: DatabaseSync): Generator<readonly Graph[]> {
  const page = reader.prepare(`SELECT * FROM graphs WHERE id > ? ORDER BY id LIMIT ${pageGraphs}`);
  for (let rows = page.all(0); rows.length > 0; rows = page.all(Number(rows.at(-1)?.id)))
    yield rows.map(graphOf);
}

/** What is no JSON is no limits either. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
