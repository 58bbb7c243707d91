import type { Uncovered } from '../../../domain/integrity/identification/coverage.ts';

export interface Problem {
  /** RFC 6901 pointer into the statement. */
  readonly pointer?: string;
  readonly given?: string;
  readonly computed?: string;
  readonly reason: string;
}

export interface Report {
  readonly name: string;
  /** Line of an NDJSON file, counted from 1. */
  readonly line?: number;
  readonly kind: 'statement' | 'blob';
  readonly cids: Readonly<Record<string, string>>;
  /** Number of claims that were compared. Without any, nothing is proved. */
  readonly compared: number;
  /** Places that the id of the statement does not cover. */
  readonly uncovered: readonly Uncovered[];
  readonly problems: readonly Problem[];
}

export function isGood({ problems }: Report): boolean {
  return problems.length === 0;
}

export function reportJson(report: Report): string {
  const { name, line, kind, cids, compared, uncovered, problems } = report;
  const isStatement = kind === 'statement';
  return `${JSON.stringify({ name, line, kind, ok: isGood(report) && compared > 0, compared, ...cids, ...(isStatement && { uncovered }), faults: problems })}\n`;
}

export function reportText(report: Report): string {
  const { name, line, cids, uncovered, problems } = report;
  const lines = [
    `${name}${line === undefined ? '' : `, line ${line}`}: ${verdict(report)}`,
    ...Object.entries(cids).map(([what, cid]) => `  ${what.padEnd(8)}  ${cid}`),
    ...problems.flatMap(problemLines),
    ...uncovered.map((one) => `  not covered by the id: ${one.pointer || 'a part of it'} (${one.reason})`),
  ];
  return `${lines.join('\n')}\n`;
}

function verdict(report: Report): string {
  if (!isGood(report)) return 'FAILED';
  return report.compared > 0 ? 'verified' : 'nothing to compare with';
}

function problemLines({ pointer, given, computed, reason }: Problem): string[] {
  return [
    `  ${pointer ? `at ${pointer}: ` : ''}${reason}`,
    ...(given === undefined ? [] : [`    given     ${given}`]),
    ...(computed === undefined ? [] : [`    computed  ${computed}`]),
  ];
}
