import { auditAuditLog, auditSessions, auditUsers } from './access.ts';
import { auditBlobs } from './blobs.ts';
import { auditGraphs, auditLimits } from './graphs.ts';
import { auditJobs } from './jobs.ts';
import type { StoreAudit, StoreFault } from './ports.ts';
import { countsOf, readable } from './problems.ts';
import type { Rechecker } from './recheck.ts';
import type { Sample } from './sample.ts';
import { auditStatements } from './statements.ts';

export interface AuditOptions {
  /** Remove leftovers and make indexes and counts again. Content is never touched. */
  readonly repair: boolean;
  /** Which blobs and statements are looked at. Everything else is looked at whole. */
  readonly sample: Sample;
  /** Told what is looked at, how far that is, and how much there is where that is known. */
  readonly onProgress: (part: AuditPart, done: number, total: number | undefined) => void;
}

export type AuditPart =
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

export interface AuditSummary {
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
  /** Faults that are still there. */
  readonly damaged: number;
  readonly leftovers: number;
  readonly repaired: number;
}

/**
 * Looks at everything that a store has. Faults come as they are found; memory does not grow with the store. While
 * others write nothing is taken for a fault that is on its way.
 */
export async function* auditStore(
  audit: StoreAudit,
  rechecker: Rechecker,
  options: AuditOptions,
): AsyncGenerator<StoreFault, AuditSummary> {
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
  const faults = { damaged: 0, leftovers: 0, repaired: 0 };
  for await (const fault of allFaults(audit, rechecker, options, counts)) {
    if (fault.repair === 'done') faults.repaired += 1;
    else faults[fault.severity === 'damage' ? 'damaged' : 'leftovers'] += 1;
    yield fault;
  }
  return { ...counts, ...faults };
}

type Counts = {
  -readonly [Name in Exclude<keyof AuditSummary, 'damaged' | 'leftovers' | 'repaired'>]: number;
};

/** Indexes come after the statements, from which they are made again. */
async function* allFaults(
  audit: StoreAudit,
  rechecker: Rechecker,
  { repair, sample: { share, isWanted }, onProgress }: AuditOptions,
  counts: Counts,
): AsyncGenerator<StoreFault> {
  onProgress('database', 0, undefined);
  yield* readable('database', audit.database(repair));
  const total = await countsOf(audit);
  const step = (count: 'graphs' | 'jobs' | 'users' | 'sessions' | 'auditRecords', part: AuditPart) => () => {
    counts[count] += 1;
    onProgress(part, counts[count], undefined);
  };
  yield* readable('graphs', auditGraphs(audit, step('graphs', 'graphs')));
  yield* readable('limits', auditLimits(audit));
  let seen = 0;
  const onBlob = (isHashed: boolean) => {
    seen += 1;
    if (isHashed) counts.blobs += 1;
    onProgress('blobs', seen, total?.blobs);
  };
  yield* readable('blobs', auditBlobs(audit, isWanted, onBlob));
  const onStatements = (checked: number, unchecked: number) => {
    counts.statements += checked;
    counts.unchecked += unchecked;
    const wanted = total && Math.ceil(total.statements * share);
    onProgress('statements', counts.statements + counts.unchecked, wanted);
  };
  const statements = auditStatements({ audit, rechecker }, { isWanted, repair, onStatements });
  yield* readable('statements', statements);
  const onRows = (done: number) => onProgress('indexes', done, total?.statements);
  yield* readable('indexes', audit.indexes(repair, onRows));
  yield* readable('jobs', auditJobs(audit, repair, step('jobs', 'jobs')));
  yield* readable('users', auditUsers(audit, step('users', 'users')));
  yield* readable('sessions', auditSessions(audit, step('sessions', 'sessions')));
  yield* readable('audit log', auditAuditLog(audit, step('auditRecords', 'audit log')));
  onProgress('leftovers', 0, undefined);
  yield* readable('leftovers', audit.leftovers(repair));
}
