import { ServiceError } from '../../errors.ts';
import type { StoredStatement } from '../../integrity/ports.ts';
import { mapConcurrent } from '../../map-concurrent.ts';
import type { StoreProblem } from '../fsck/ports.ts';
import { lost, repairable } from '../fsck/problems.ts';
import type { Recheck } from '../fsck/recheck.ts';
import {
  type HistoryPage,
  type Migrating,
  type MigrationCounts,
  type MigrationTarget,
  noMigration,
} from './ports.ts';
import { SourceReading } from './reading.ts';

const advice = 'Restore it from a backup and repeat, or store it again in the target.';
const pagesAhead = 3;

/** One page after the other is stored, so that an interruption leaves them in their order. */
export async function* bringStatements(
  { source, target, rechecker, memory, onProgress }: Migrating,
  counts: MigrationCounts,
  total: number | undefined,
): AsyncGenerator<StoreProblem> {
  const start = memory.read() ?? noMigration;
  let { after, done, newest } = start;
  let isWhole = true;
  const reading = new SourceReading('statements');
  const pages = mapConcurrent(reading.of(source.statementsInOrder(after)), pagesAhead, async (page) => ({
    page,
    rechecked: await rechecker.recheck(page.entries.filter((entry) => 'jcs' in entry)),
  }));
  for await (const { page, rechecked } of pages) {
    const rows = rechecked.flatMap(({ right }) => (right && isShown(right) ? [right] : []));
    const refused = await putPage(target, rows, counts);
    done += page.entries.length;
    newest = rows.findLast(({ isTrusted }) => isTrusted)?.jcsCid.text ?? newest;
    after = page.last;
    const problems = [...refused, ...problemsOf(page, rechecked)];
    // The next run begins with the first problem, so that it is told again, or put right by then.
    isWhole &&= problems.length === 0;
    if (isWhole) memory.write({ ...start, after, done, newest });
    onProgress('statements', done, total);
    yield* problems;
  }
  yield* reading.problems;
}

/** Untrusted statements are seen through their graphs alone: without one they are what an import has left behind. */
function isShown({ isTrusted, graphIds }: StoredStatement): boolean {
  return isTrusted || graphIds.length > 0;
}

/** Stores a page; where the target has no room for one of its statements, one after the other. */
async function putPage(
  target: MigrationTarget,
  rows: readonly StoredStatement[],
  counts: MigrationCounts,
): Promise<StoreProblem[]> {
  try {
    counts.stored += await put(target, rows);
    counts.statements += rows.length;
    return [];
  } catch (error) {
    if (!(error instanceof ServiceError) || error.code !== 'too_large') throw error;
    const [only] = rows;
    if (only && rows.length === 1)
      return [
        lost(
          'statement',
          only.jcsCid.text,
          `Left out: ${error.message.replace(/\.$/, '')}`,
          'The target cannot hold it.',
        ),
      ];
    const problems: StoreProblem[] = [];
    for (const row of rows) problems.push(...(await putPage(target, [row], counts)));
    return problems;
  }
}

/** @returns how many are new. */
async function put({ statements }: MigrationTarget, rows: readonly StoredStatement[]): Promise<number> {
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

function* problemsOf(
  { entries }: HistoryPage,
  rechecked: readonly Recheck<StoredStatement>[],
): Generator<StoreProblem> {
  for (const entry of entries)
    if ('problem' in entry) yield lost('statement', entry.id, entry.problem, advice);
  for (const { row, right, problems } of rechecked) {
    if (problems.length === 0) continue;
    const problem = problems.join('; ').replace(/\.$/, '');
    if (right)
      yield repairable('statement', row.jcsCid.text, `Stored as it should be: here, ${problem}`, true);
    else yield lost('statement', row.jcsCid.text, `Left out: ${problem}`, advice);
  }
}
