/** A figure that one bench reports, and what it should reach. The names are those of the bench's tables. */
export interface Goal {
  readonly what: string;
  readonly bench: string;
  readonly row: string;
  /** The row that ours is compared with. */
  readonly beside?: string;
  /** The column that both rows are shown with; the judged one unless given. */
  readonly rate?: string;
  /** The judged column. */
  readonly column: string;
  readonly goal: number;
  /** The figure should be at most the goal, not at least. */
  readonly isCeiling?: true;
}

const plainJsonld = 'jsonld.canonize and a hash';
const statements = { rate: 'statements/s', column: 'ratio' };

/** What `npm run bench` measures, in the order of its table. */
export const goals: readonly Goal[] = [
  {
    what: 'identify a flat statement, one thread',
    bench: 'identify',
    row: 'flat: Cairn, both CIDs, one thread',
    beside: `flat: ${plainJsonld}`,
    ...statements,
    goal: 3,
  },
  {
    what: 'identify a statement with a credential, one thread',
    bench: 'identify',
    row: 'with a credential: Cairn, both CIDs, one thread',
    beside: `with a credential: ${plainJsonld}`,
    ...statements,
    goal: 4,
  },
  {
    what: 'batches, embedded',
    bench: 'ingest',
    row: 'Cairn: PUT /statements/v1/batch over HTTP',
    beside: 'bare INSERTs, sorted by keys',
    ...statements,
    goal: 0.5,
  },
  {
    what: 'batches, embedded, beside rows as they arrive',
    bench: 'ingest',
    row: 'Cairn, beside the order of arrival',
    beside: 'bare INSERTs, in the order of arrival',
    ...statements,
    goal: 0.5,
  },
  {
    what: 'batches, embedded, beside immudb',
    bench: 'peers',
    row: 'Cairn: batches of 1,000, 3 at once',
    beside: 'immudb: batches of 1,000, 3 at once, values of 500 bytes',
    rate: 'per second',
    column: 'ratio',
    goal: 0.7,
  },
  {
    what: 'batches, MongoDB',
    bench: 'mongo-ingest',
    row: 'Cairn: PUT /statements/v1/batch over HTTP, 1 process',
    beside: 'bare insertMany of the same documents',
    ...statements,
    goal: 0.8,
  },
  {
    what: 'single PUT, 32 connections',
    bench: 'peers',
    row: 'Cairn: singles, 32 connections',
    beside: 'immudb: singles, 32 connections, values of 500 bytes',
    rate: 'per second',
    column: 'ratio',
    goal: 3,
  },
  {
    what: 'bytes written for a single PUT',
    bench: 'single',
    row: 'Cairn, durable',
    column: 'kB written each',
    goal: 15,
    isCeiling: true,
  },
  {
    what: 'file size of a statement',
    bench: 'volume',
    row: 'database file, closed',
    beside: 'JCS',
    rate: 'bytes each',
    column: 'ratio',
    goal: 1.7,
    isCeiling: true,
  },
  {
    what: '1 GiB blob in',
    bench: 'peers',
    row: 'Cairn: PUT of 1 GiB',
    beside: 'nginx: PUT of 1 GiB, and fsync',
    rate: 'MiB/s',
    column: 'ratio',
    goal: 1,
  },
  {
    what: '1 GiB blob in, beside Node',
    bench: 'blob',
    row: 'Cairn: PUT over HTTP',
    beside: 'plain Node server: PUT with fsync',
    rate: 'MiB/s',
    column: 'ratio',
    goal: 1,
  },
  {
    what: '1 GiB blob out, verified',
    bench: 'blob',
    row: 'Cairn: GET over HTTP, verified',
    beside: 'plain Node server: GET',
    rate: 'MiB/s',
    column: 'ratio',
    goal: 0.8,
  },
  {
    what: 'growth',
    bench: 'volume',
    row: 'ingestion, last 100,000',
    beside: 'ingestion, first 100,000',
    ...statements,
    goal: 0.9,
  },
  {
    what: 'manifest export, JSON',
    bench: 'volume',
    row: 'export, JSON',
    beside: 'ingestion',
    ...statements,
    goal: 5,
  },
  {
    what: 'small exports',
    bench: 'jobs',
    row: 'exports of one graph, from the request to done',
    beside: "BullMQ's jobs that do nothing",
    rate: 'jobs/s',
    column: 'ratio',
    goal: 0.2,
  },
  {
    what: 'lineage upstream, depth 10, 500 nodes',
    bench: 'lineage',
    row: 'lineage upstream, depth 10, 500 nodes',
    column: 'p99 ms',
    goal: 20,
    isCeiling: true,
  },
  {
    what: 'lineage downstream of a hub, 500 nodes',
    bench: 'lineage',
    row: 'lineage downstream of the hub, 500 nodes',
    column: 'p99 ms',
    goal: 20,
    isCeiling: true,
  },
  {
    what: 'start to ready',
    bench: 'volume',
    row: 'start to ready',
    column: 's',
    goal: 0.5,
    isCeiling: true,
  },
];
