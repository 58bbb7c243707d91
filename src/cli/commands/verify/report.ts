import type { Uncovered } from '../../../domain/integrity/identification/coverage.ts';

/** One thing that is not as it should be, and where. */
export interface Problem {
  /** RFC 6901 pointer into the statement. */
  readonly pointer?: string;
  /** What was claimed. */
  readonly given?: string;
  /** What the bytes make it. */
  readonly computed?: string;
  readonly reason: string;
}

/** What came out for one statement or blob. */
export interface Report {
  readonly name: string;
  /** Line of an NDJSON file, counted from 1. */
  readonly line?: number;
  readonly kind: 'statement' | 'blob';
  /** What was computed. */
  readonly cids: Readonly<Record<string, string>>;
  /** How many claims were compared with it. Without any, nothing is proved. */
  readonly compared: number;
  /** What the id of the statement says nothing about. */
  readonly uncovered: readonly Uncovered[];
  readonly faults: readonly Problem[];
}

export function isGood({ faults }: Report): boolean {
  return faults.length === 0;
}

export function reportJson(report: Report): string {
  const { name, line, kind, cids, compared, uncovered, faults } = report;
  const isStatement = kind === 'statement';
  return `${JSON.stringify({ name, line, kind, ok: isGood(report), compared, ...cids, ...(isStatement && { uncovered }), faults })}\n`;
}

export function reportText(report: Report): string {
  const { name, line, cids, uncovered, faults } = report;
  const lines = [
    `${name}${line === undefined ? '' : `, line ${line}`}: ${verdict(report)}`,
    ...Object.entries(cids).map(([what, cid]) => `  ${what.padEnd(8)}  ${cid}`),
    ...faults.flatMap(problemLines),
    ...uncovered.map(
      ({ pointer, reason }) => `  not covered by the id: ${pointer || 'a part of it'} (${reason})`,
    ),
  ];
  return `${lines.join('\n')}\n`;
}

function verdict(report: Report): string {
  if (!isGood(report)) return 'FAILED';
  return report.compared > 0 ? 'verified' : 'nothing to compare with';
}

function problemLines({ pointer, given, computed, reason }: Problem): string[] {
  return [
    `  ${pointer === undefined ? '' : `at ${pointer || 'the whole'}: `}${reason}`,
    ...(given === undefined ? [] : [`    given     ${given}`]),
    ...(computed === undefined ? [] : [`    computed  ${computed}`]),
  ];
}
