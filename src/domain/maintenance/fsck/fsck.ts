import { fsckAuditLog, fsckSessions, fsckUsers } from './access.ts';
import { fsckBlobs } from './blobs.ts';
import { fsckGraphs, fsckLimits } from './graphs.ts';
import { fsckJobs } from './jobs.ts';
import type { StoreCheck, StoreProblem } from './ports.ts';
import { countsOf, readable } from './problems.ts';
import type { Rechecker } from './recheck.ts';
import type { Sample } from './sample.ts';
import { fsckStatements } from './statements.ts';

export interface FsckOptions {
  /** Remove leftovers and make indexes and counts again. Content is never touched. */
  readonly repair: boolean;
  /** Which blobs and statements are looked at. Everything else is looked at whole. */
  readonly sample: Sample;
  /** Told what is looked at, how far that is, and how much there is where that is known. */
  readonly onProgress: (part: FsckPart, done: number, total: number | undefined) => void;
}

export type FsckPart =
  | 'database'
  | 'graphs'
  | 'blobs'
  | 'statements'
  | 'indexes'
  | 'jobs'
  | 'users'
  | 'sessions'
  | 'audit log'
  | 'leftovers';

export interface FsckSummary {
  /** Blobs that were hashed, and statements that were identified again. */
  readonly blobs: number;
  readonly statements: number;
  /** Statements of which nothing can be said, as their contexts are not whole. */
  readonly unchecked: number;
  readonly graphs: number;
  readonly jobs: number;
  readonly users: number;
  readonly sessions: number;
  readonly auditRecords: number;
  /** Problems that are still there. */
  readonly damaged: number;
  readonly leftovers: number;
  readonly repaired: number;
}

/**
 * Looks at everything that a store has. Problems come as they are found; memory does not grow with the store. While
 * others write nothing is taken for a problem that is on its way.
 */
export async function* fsckStore(
  fsck: StoreCheck,
  rechecker: Rechecker,
  options: FsckOptions,
): AsyncGenerator<StoreProblem, FsckSummary> {
  const counts = {
    blobs: 0,
    statements: 0,
    unchecked: 0,
    graphs: 0,
    jobs: 0,
    users: 0,
    sessions: 0,
    auditRecords: 0,
  };
  const problems = { damaged: 0, leftovers: 0, repaired: 0 };
  for await (const problem of allProblems(fsck, rechecker, options, counts)) {
    if (problem.repair === 'done') problems.repaired += 1;
    else problems[problem.severity === 'damage' ? 'damaged' : 'leftovers'] += 1;
    yield problem;
  }
  return { ...counts, ...problems };
}

type Counts = {
  -readonly [Name in Exclude<keyof FsckSummary, 'damaged' | 'leftovers' | 'repaired'>]: number;
};

/** Indexes come after the statements, from which they are made again. */
async function* allProblems(
  fsck: StoreCheck,
  rechecker: Rechecker,
  { repair, sample: { share, isWanted }, onProgress }: FsckOptions,
  counts: Counts,
): AsyncGenerator<StoreProblem> {
  onProgress('database', 0, undefined);
  yield* readable('database', fsck.database(repair));
  const total = await countsOf(fsck);
  const step = (count: 'graphs' | 'jobs' | 'users' | 'sessions' | 'auditRecords', part: FsckPart) => () => {
    counts[count] += 1;
    onProgress(part, counts[count], undefined);
  };
  yield* readable('graphs', fsckGraphs(fsck, step('graphs', 'graphs')));
  yield* readable('limits', fsckLimits(fsck));
  let seen = 0;
  const onBlob = (isHashed: boolean) => {
    seen += 1;
    if (isHashed) counts.blobs += 1;
    onProgress('blobs', seen, total?.blobs);
  };
  yield* readable('blobs', fsckBlobs(fsck, isWanted, onBlob));
  const onStatements = (checked: number, unchecked: number) => {
    counts.statements += checked;
    counts.unchecked += unchecked;
    const wanted = total && Math.ceil(total.statements * share);
    onProgress('statements', counts.statements + counts.unchecked, wanted);
  };
  const statements = fsckStatements({ fsck, rechecker }, { isWanted, repair, onStatements });
  yield* readable('statements', statements);
  const onRows = (done: number) => onProgress('indexes', done, total?.statements);
  yield* readable('indexes', fsck.indexes(repair, onRows));
  yield* readable('jobs', fsckJobs(fsck, repair, step('jobs', 'jobs')));
  yield* readable('users', fsckUsers(fsck, step('users', 'users')));
  yield* readable('sessions', fsckSessions(fsck, step('sessions', 'sessions')));
  yield* readable('audit log', fsckAuditLog(fsck, step('auditRecords', 'audit log')));
  onProgress('leftovers', 0, undefined);
  yield* readable('leftovers', fsck.orphans(repair));
}
