import { ServiceError } from '../../errors.ts';
import type { StatementRow } from '../../integrity/ports.ts';
import { repairable, type StoreProblem } from '../problems.ts';
import { copyLateGraphs } from './graphs.ts';
import { leftOut, type MigrationRun, type MigrationTarget, readable } from './run.ts';

type RowOfGraphs = StatementRow & { readonly graphIds: readonly string[]; readonly registrar: string | null };

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
        yield leftOut(run, { kind: 'statement', ...result });
        continue;
      }
      const { entry, row } = result;
      const problem = 'Its id, kind, time or references were wrong in the source';
      if (!entry.holds(row)) yield repairable('statement', row.jcsCid.text, problem, { repair: true });
      // An unverified statement without a graph belongs to an interrupted import.
      if (row.isTrusted || entry.graphIds.length > 0) {
        const { graphIds, registrar } = entry;
        rows.push({ ...row, graphIds, registrar });
      }
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
      yield leftOut(run, { kind: 'statement', id: first.jcsCid.text, problem }, 'The target cannot hold it.');
    } else for (const row of rows) yield* putPage(run, [row]);
  }
}

/** Rows of one registrar after each other share a write. @returns how many rows are new. */
async function put(target: MigrationTarget, rows: readonly RowOfGraphs[]): Promise<number> {
  let stored = 0;
  for (let start = 0; start < rows.length; ) {
    const registrar = rows[start]?.registrar ?? null;
    const other = rows.findIndex((row, at) => at > start && row.registrar !== registrar);
    const end = other < 0 ? rows.length : other;
    stored += await putAlike(target, rows.slice(start, end), registrar);
    start = end;
  }
  return stored;
}

/** Each row joins its graphs in their order. @returns how many rows are new. */
async function putAlike(
  { statements }: MigrationTarget,
  rows: readonly RowOfGraphs[],
  registrar: string | null,
): Promise<number> {
  const graphId = rows[0]?.graphIds[0] ?? null;
  const isOfOneGraph = graphId !== null && rows.every(({ graphIds }) => graphIds[0] === graphId);
  const { stored } = await statements.putMany(rows, isOfOneGraph ? graphId : null, registrar);
  for (let place = isOfOneGraph ? 1 : 0; rows.some(({ graphIds }) => graphIds.length > place); place += 1) {
    const joining = Map.groupBy(rows, ({ graphIds }) => graphIds[place]);
    for (const [graph, some] of joining) if (graph !== undefined) await statements.putMany(some, graph);
  }
  return stored;
}
