import { readFileSync } from 'node:fs';
import { type Row, shown, type Table } from '../measure.ts';
import type { Goal } from './goals.ts';

/** What a bench reported. */
export interface Result {
  readonly date: string;
  readonly commit: string;
  readonly machine: string;
  readonly tables: readonly Table[];
}

/** The newest result of each bench, by its name. */
export type Results = Readonly<Record<string, Result>>;

/** The results in a file; none if there is no file yet. */
export function readResults(file: URL): Results {
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return {};
    throw error;
  }
}

/** One row for each goal whose bench has a result, compared with the results of the last run. */
export function headline(goals: readonly Goal[], now: Results, last: Results): Row[] {
  return goals
    .filter(({ bench }) => now[bench] !== undefined)
    .map((goal) => {
      const { what, bench, beside, column, rate = column } = goal;
      const [ours, other] = [rowOf(now, goal, goal.row), rowOf(now, goal, beside)];
      const ratio = figure(now, goal);
      const before = now[bench] === last[bench] ? undefined : figure(last, goal);
      return {
        what,
        ours: ours ? `${shown(ours[rate])} ${rate}` : '',
        'beside what': other ? `${beside}: ${shown(other[rate])}` : '',
        ratio: ratio ?? 'not reported',
        goal: judged(goal, ratio),
        'ratio of the last run': before ?? '',
        change: changed(ratio, before),
      };
    });
}

function rowOf(results: Results, { bench }: Goal, name: string | undefined): Row | undefined {
  return results[bench]?.tables.flatMap(({ rows }) => rows).find(({ what }) => what === name);
}

function figure(results: Results, goal: Goal): number | undefined {
  const value = rowOf(results, goal, goal.row)?.[goal.column];
  return typeof value === 'number' ? value : undefined;
}

function judged({ goal, isCeiling }: Goal, ratio: number | undefined): string {
  const isReached = ratio !== undefined && (isCeiling ? ratio <= goal : ratio >= goal);
  return `${isCeiling ? '≤' : '≥'} ${goal}${isReached ? ', reached' : ''}`;
}

function changed(ratio: number | undefined, before: number | undefined): string {
  if (ratio === undefined || !before) return '';
  const percent = Math.round((ratio / before - 1) * 100);
  return `${percent > 0 ? '+' : ''}${percent} %`;
}
