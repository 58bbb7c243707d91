import { everythingVisible } from '../access.ts';
import { ahead } from '../ahead.ts';
import { lost, mendable, messageOfDamage, readable, stranger } from './audit-faults.ts';
import type { AuditedBlob, StoreFault, Unreadable } from './audit-ports.ts';
import { storeBlob } from './blobs.ts';
import { parseCid } from './cid.ts';
import { runTimeLimitsShape } from './dynamic-config.ts';
import { bringGraphs, demandRoom } from './migration-graphs.ts';
import type {
  HistoryPage,
  MigrationMemory,
  MigrationSource,
  MigrationState,
  MigrationTarget,
} from './migration-ports.ts';
import type { StoredStatement } from './ports.ts';
import type { Recheck, Rechecker } from './recheck.ts';

export interface Migrating {
  readonly source: MigrationSource;
  readonly target: MigrationTarget;
  readonly rechecker: Rechecker;
  readonly memory: MigrationMemory;
  readonly onProgress: (part: MigrationPart, done: number, total: number | undefined) => void;
}

export type MigrationPart = 'blobs' | 'graphs' | 'statements';

export interface MigrationSummary {
  readonly graphs: number;
  readonly blobs: number;
  readonly statements: number;
  /** Of all of those, how many the target did not have before this run. */
  readonly stored: number;
  /** What is not in the target, as it is damaged. */
  readonly leftOut: number;
}

type Counts = { -readonly [Name in keyof MigrationSummary]: number };

const advice = 'Restore it from a backup and repeat, or store it again in the target.';
const blobsAhead = 4;
const pagesAhead = 3;

/**
 * Brings everything from one store into another, but for jobs. Every hash and every id is computed again on the way;
 * what is damaged is told and left out. Statements keep the order in which they were stored, and that of their graphs,
 * so that all answers stay the same. To be repeated without harm; with its memory it goes on where it was.
 * @throws ServiceError `conflict` when the target has other content under the same graphs.
 */
export async function* migrate(migrating: Migrating): AsyncGenerator<StoreFault, MigrationSummary> {
  const { source, target, memory } = migrating;
  const counts: Counts = { graphs: 0, blobs: 0, statements: 0, stored: 0, leftOut: 0 };
  const start = await startOf(migrating);
  if (!start) await demandRoom(source, target);
  memory.write(start ?? atFirst);
  const total = await source.counts();
  yield* counted(readable('blobs', bringBlobs(migrating, counts, total.blobs)), counts);
  const brought = await bringGraphs(source, target, (done) =>
    migrating.onProgress('graphs', done, undefined),
  );
  counts.graphs = brought.graphs;
  counts.stored += brought.stored;
  yield* counted(readable('statements', bringStatements(migrating, counts, total.statements)), counts);
  const limits = runTimeLimitsShape.safeParse(await source.runTimeLimits());
  if (limits.success) await target.runTimeLimits.write(limits.data);
  return counts;
}

const atFirst: MigrationState = { after: null, done: 0, newest: null };

/** Where an earlier run was, unless the target has lost what that run has stored. */
async function startOf({ target, memory }: Migrating): Promise<MigrationState | undefined> {
  const state = memory.read();
  if (!state?.newest) return state;
  const newest = await target.statements.byJcsCid(parseCid(state.newest), everythingVisible);
  return newest && state;
}

async function* counted(faults: AsyncIterable<StoreFault>, counts: Counts): AsyncGenerator<StoreFault> {
  for await (const fault of faults) {
    if (fault.severity === 'damage' && fault.repair === 'none') counts.leftOut += 1;
    yield fault;
  }
}

async function* bringBlobs(
  { source, target, onProgress }: Migrating,
  counts: Counts,
  total: number,
): AsyncGenerator<StoreFault> {
  const bring = async (blob: AuditedBlob | Unreadable): Promise<StoreFault | undefined> => {
    if ('problem' in blob) return stranger('blob', blob.id, blob.problem);
    const isKnown = (await target.blobs.size(blob.cid)) !== undefined;
    const problem = isKnown ? undefined : await bringBlob(target, blob);
    if (problem !== undefined) return lost('blob', blob.cid.text, problem, advice);
    counts.blobs += 1;
    if (!isKnown) counts.stored += 1;
    onProgress('blobs', counts.blobs, total);
    return undefined;
  };
  for await (const fault of ahead(source.blobs(), blobsAhead, bring)) if (fault) yield fault;
}

async function bringBlob(
  { blobs }: MigrationTarget,
  { cid, read }: AuditedBlob,
): Promise<string | undefined> {
  const limit = { bytes: Number.POSITIVE_INFINITY, setting: '' };
  try {
    await using content = await read();
    if (!content) return 'It is listed and cannot be found';
    await storeBlob(blobs, content.bytes, { expected: cid }, limit);
    return undefined;
  } catch (error) {
    return messageOfDamage(error);
  }
}

/** One page after the other is stored, so that an interruption leaves them in their order. */
async function* bringStatements(
  { source, target, rechecker, memory, onProgress }: Migrating,
  counts: Counts,
  total: number,
): AsyncGenerator<StoreFault> {
  let { after, done, newest } = memory.read() ?? atFirst;
  const pages = ahead(source.statementsInOrder(after), pagesAhead, async (page) => ({
    page,
    rechecked: await rechecker.recheck(page.entries.filter((entry) => 'jcs' in entry)),
  }));
  for await (const { page, rechecked } of pages) {
    const rows = rechecked.flatMap(({ right }) => (right && isShown(right) ? [right] : []));
    counts.stored += await putPage(target, rows);
    counts.statements += rows.length;
    done += page.entries.length;
    newest = rows.findLast(({ isTrusted }) => isTrusted)?.jcsCid.text ?? newest;
    after = page.last;
    memory.write({ after, done, newest });
    onProgress('statements', done, total);
    yield* faultsOf(page, rechecked);
  }
}

/** Untrusted statements are seen through their graphs alone: without one they are what an import has left behind. */
function isShown({ isTrusted, graphIds }: StoredStatement): boolean {
  return isTrusted || graphIds.length > 0;
}

/** @returns how many are new. */
async function putPage({ statements }: MigrationTarget, rows: readonly StoredStatement[]): Promise<number> {
  const [first] = rows;
  if (!first) return 0;
  const [graphId] = first.graphIds;
  const isOfOneGraph = graphId !== undefined && rows.every(({ graphIds }) => graphIds[0] === graphId);
  const outcomes = await statements.putMany(rows, isOfOneGraph ? graphId : null);
  for (let place = isOfOneGraph ? 1 : 0; rows.some(({ graphIds }) => graphIds.length > place); place += 1) {
    const joining = Map.groupBy(rows, ({ graphIds }) => graphIds[place]);
    for (const [graph, some] of joining) if (graph !== undefined) await statements.putMany(some, graph);
  }
  return outcomes.filter((outcome) => outcome === 'stored').length;
}

function* faultsOf(
  { entries }: HistoryPage,
  rechecked: readonly Recheck<StoredStatement>[],
): Generator<StoreFault> {
  for (const entry of entries)
    if ('problem' in entry) yield lost('statement', entry.id, entry.problem, advice);
  for (const { row, right, problems } of rechecked) {
    if (problems.length === 0) continue;
    const problem = problems.join('; ').replace(/\.$/, '');
    if (right) yield mendable('statement', row.jcsCid.text, `Stored as it should be: here, ${problem}`, true);
    else yield lost('statement', row.jcsCid.text, `Left out: ${problem}`, advice);
  }
}
