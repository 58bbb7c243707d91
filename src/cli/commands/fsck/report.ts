import { counted } from '../../../contract/words/text.ts';
import type { FsckSummary } from '../../../domain/maintenance/fsck/fsck.ts';
import type { StoreProblem } from '../../../domain/maintenance/problems.ts';

/** The checked share of the content. */
export interface SampleInfo {
  readonly share: string;
  readonly seed: string;
}

export function problemJson({ kind, id, problem, severity, repair }: StoreProblem): string {
  return `${JSON.stringify({ kind, id, problem, severity, repair })}\n`;
}

export function problemText({ kind, id, problem, severity, repair }: StoreProblem): string {
  const what = severity === 'damage' ? kind : `${severity} ${kind}`;
  const stop = problem.endsWith('.') ? '' : '.';
  const line = `${what}  ${id}  ${problem}${stop}${repair === 'done' ? ' Repaired.' : ''}`;
  return `${line.replaceAll('\n', ' ')}\n`;
}

/** How many problems of each kind are left: those that a repair can fix, and lost content. */
export class LeftProblems {
  readonly repairable: Record<string, number> = {};
  readonly lost: Record<string, number> = {};

  add({ kind, severity, repair }: StoreProblem): void {
    if (repair === 'done') return;
    if (repair === 'possible') this.repairable[kind] = (this.repairable[kind] ?? 0) + 1;
    else if (severity === 'damage') this.lost[kind] = (this.lost[kind] ?? 0) + 1;
  }
}

export function summaryJson(
  place: string,
  summary: FsckSummary,
  { repairable, lost }: LeftProblems,
  sample: SampleInfo | undefined,
): string {
  const ok = summary.damaged === 0;
  const whole = { store: place, ok, ...summary, repairable, lost, sample: sample ?? null };
  return `${JSON.stringify({ summary: whole })}\n`;
}

export function summaryText(
  summary: FsckSummary,
  { repairable, lost }: LeftProblems,
  sample: SampleInfo | undefined,
): string {
  const { blobs, statements, unchecked, graphs, records } = summary;
  const { damaged, unfinished, orphans, repaired } = summary;
  const some = (count: number, what: string) => (count > 0 ? [`, ${count} ${what}`] : []);
  const lines = [
    `${damaged === 0 ? 'sound' : `DAMAGED: ${counted(damaged, 'problem')}`}${[...some(repaired, 'repaired'), ...some(unfinished, 'unfinished'), ...some(orphans, 'orphans')].join('')}`,
    `  ${counted(blobs, 'blob')}, ${counted(statements, 'statement')}, ${counted(graphs, 'graph')}, ${counted(records, 'record')} checked`,
    ...(unchecked > 0
      ? [`  ${counted(unchecked, 'statement')} could not be checked, because contexts are missing or damaged`]
      : []),
    ...(sample ? [`  a sample: ${sample.share} of the blobs and statements (--seed ${sample.seed})`] : []),
    ...byKind('"cairn fsck --repair" can fix', '', repairable),
    ...byKind('', ' need a backup, or what their lines say', lost),
  ];
  return `${lines.join('\n')}\n`;
}

function byKind(before: string, after: string, counts: Readonly<Record<string, number>>): string[] {
  const kinds = Object.entries(counts);
  if (kinds.length === 0) return [];
  const sum = kinds.reduce((total, [, count]) => total + count, 0);
  const list = kinds.map(([kind, count]) => `${count} ${kind}`).join(', ');
  return [`  ${`${before} ${sum}`.trim()}${after}: ${list}`];
}
