import type { FsckSummary } from '../../../domain/maintenance/fsck/fsck.ts';
import type { StoreProblem } from '../../../domain/maintenance/problems.ts';
import { printable } from '../../terminal/printable.ts';

/** The checked share of the content. */
export interface SampleInfo {
  readonly share: string;
  readonly seed: string;
}

export function problemJson({ kind, id, problem, severity, repair }: StoreProblem): string {
  return printable(`${JSON.stringify({ kind, id, problem, severity, repair })}\n`);
}

export function problemText({ kind, id, problem, severity, repair }: StoreProblem): string {
  const what = severity === 'orphan' ? `orphan ${kind}` : kind;
  const stop = problem.endsWith('.') ? '' : '.';
  const line = `${what}  ${id}  ${problem}${stop}${repair === 'done' ? ' Repaired.' : ''}`;
  return `${printable(line.replaceAll('\n', ' '))}\n`;
}

export function summaryJson(place: string, summary: FsckSummary, sample: SampleInfo | undefined): string {
  const ok = summary.damaged === 0;
  return `${JSON.stringify({ summary: { store: place, ok, ...summary, sample: sample ?? null } })}\n`;
}

export function summaryText(summary: FsckSummary, sample: SampleInfo | undefined): string {
  const { blobs, statements, unchecked, graphs, records } = summary;
  const { damaged, orphans, repaired } = summary;
  const some = (count: number, what: string) => (count > 0 ? [`, ${count} ${what}`] : []);
  const lines = [
    `${damaged === 0 ? 'sound' : `DAMAGED: ${damaged} problems`}${[...some(repaired, 'repaired'), ...some(orphans, 'orphans')].join('')}`,
    `  ${blobs} blobs, ${statements} statements, ${graphs} graphs, ${records} records checked`,
    ...(unchecked > 0
      ? [`  ${unchecked} statements could not be checked, because their contexts are missing or damaged`]
      : []),
    ...(sample ? [`  a sample: ${sample.share} of the blobs and statements (--seed ${sample.seed})`] : []),
  ];
  return `${lines.join('\n')}\n`;
}
