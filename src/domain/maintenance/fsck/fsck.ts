import { fsckBlobs } from './blobs.ts';
import { fsckExports } from './exports.ts';
import { fsckGraphs } from './graphs.ts';
import type { StoreCheck, StoreProblem } from './ports.ts';
import { countsOf, readable } from './problems.ts';
import type { Rechecker } from './recheck.ts';
import { fsckRecords } from './records.ts';
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
  | 'records'
  | 'exports'
  | 'leftovers';

export interface FsckSummary {
  /** Blobs that were hashed, and statements that were identified again. */
  readonly blobs: number;
  readonly statements: number;
  /** Statements of which nothing can be said, as their contexts are not whole. */
  readonly unchecked: number;
  readonly graphs: number;
  /** Of users, jobs, the audit log and so on. */
  readonly records: number;
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
    records: 0,
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
  const step = (part: 'graphs' | 'records') => () => {
    counts[part] += 1;
    onProgress(part, counts[part], undefined);
  };
  yield* readable('graphs', fsckGraphs(fsck, step('graphs')));
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
  yield* readable('records', fsckRecords(fsck, step('records')));
  onProgress('exports', 0, undefined);
  yield* readable('exports', fsckExports(fsck, repair));
  onProgress('leftovers', 0, undefined);
  yield* readable('leftovers', fsck.orphans(repair));
}
