import type { DatabaseSync } from 'node:sqlite';
import type { Graph } from '../../../domain/integrity/ports.ts';
import { type Job, jobs } from '../../../domain/jobs/jobs.ts';
import type { StoreContents } from '../../../domain/maintenance/fsck/ports.ts';
import type { BlobPlaces } from '../blobs/blob-places.ts';
import { recordReads } from '../collections/record-reads.ts';
import { readError, reading } from '../errors.ts';
import { graphReads } from '../graphs/graph-reads.ts';
import { graphOf } from '../graphs/graphs.ts';
import { countBlobs, readBlobs } from './blobs.ts';
import { readBlobStore, readResults } from './files.ts';
import { readRecords } from './records.ts';
import { readStatements } from './statements.ts';

const pageGraphs = 1_000;

/** Everything that a data folder has, as it stands. */
export function embeddedContents(reader: DatabaseSync, places: BlobPlaces): StoreContents {
  const statements = reader.prepare(
    'SELECT (SELECT count(*) FROM verified_rows) + (SELECT count(*) FROM unverified_rows) AS count',
  );
  const graph = reader.prepare('SELECT * FROM graphs WHERE graph_id = ?');
  const jobRecords = recordReads<Job, never>(reader, jobs);
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
    records: (declared) => reading(() => readRecords(reader, declared)),
    job: (id) => jobRecords.get(id),
    exportResults: readResults(places),
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
