import { ServiceError } from '../../errors.ts';
import type { StatementRow } from '../../integrity/ports.ts';
import { repairable, type StoreProblem } from '../problems.ts';
import { copyLateGraphs } from './graphs.ts';
import { leftOut, type MigrationRun, type MigrationTarget, readable } from './run.ts';

type RowOfGraphs = StatementRow & { readonly graphIds: readonly string[] };

/** Verifies many pages at once, and stores one after the other to keep the order. */
export async function* copyStatements(run: MigrationRun): AsyncGenerator<StoreProblem> {
  const { source, verifier } = run;
  for await (const page of verifier.verify(
    readable(
      run,
      'statements',
      source.statements(() => true),
    ),
  )) {
    const rows: RowOfGraphs[] = [];
    for (const result of page) {
      if ('problem' in result) {
        yield leftOut(run, 'statement', result.id, result.problem);
        continue;
      }
      const { entry, row } = result;
      const problem = 'Its id, kind, time or references were wrong in the source';
      if (!entry.holds(row)) yield repairable('statement', row.jcsCid.text, problem, true);
      // An unverified statement without a graph belongs to an interrupted import.
      if (row.isTrusted || entry.graphIds.length > 0) rows.push({ ...row, graphIds: entry.graphIds });
    }
    await copyLateGraphs(
      run,
      rows.flatMap(({ graphIds }) => graphIds),
    );
    yield* putPage(run, rows);
  }
}

/** Stores a page, or row by row if one is too large for the target. */
async function* putPage(run: MigrationRun, rows: readonly RowOfGraphs[]): AsyncGenerator<StoreProblem> {
  try {
    run.counts.stored += await put(run.target, rows);
    run.count('statements', rows.length);
  } catch (error) {
    if (!(error instanceof ServiceError) || error.code !== 'too_large') throw error;
    const [first] = rows;
    if (first && rows.length === 1) {
      const problem = error.message.replace(/\.$/, '');
      yield leftOut(run, 'statement', first.jcsCid.text, problem, 'The target cannot hold it.');
    } else for (const row of rows) yield* putPage(run, [row]);
  }
}

/** Each row joins its graphs in their order. @returns how many rows are new. */
async function put({ statements }: MigrationTarget, rows: readonly RowOfGraphs[]): Promise<number> {
  const graphId = rows[0]?.graphIds[0] ?? null;
  const isOfOneGraph = graphId !== null && rows.every(({ graphIds }) => graphIds[0] === graphId);
  const { stored } = await statements.putMany(rows, isOfOneGraph ? graphId : null);
  for (let place = isOfOneGraph ? 1 : 0; rows.some(({ graphIds }) => graphIds.length > place); place += 1) {
    const joining = Map.groupBy(rows, ({ graphIds }) => graphIds[place]);
    for (const [graph, some] of joining) if (graph !== undefined) await statements.putMany(some, graph);
  }
  return stored;
}
