import { counted } from '../../../contract/words/text.ts';
import type { ContextSource } from '../../../domain/integrity/ports.ts';
import type { LocalIdentifier } from '../../client/local-identifier.ts';
import { failNo } from '../../terminal/failure.ts';
import { isGood, type Report, reportJson, reportText } from './report.ts';
import type { Results } from './results.ts';

/** Imports JSON-LD only when needed, because loading it takes time. */
export async function openIdentifier(sources: readonly ContextSource[]): Promise<LocalIdentifier> {
  const { LocalIdentifier } = await import('../../client/local-identifier.ts');
  return new LocalIdentifier(sources);
}

/** For a file of lines, text output shows only failed lines and a count. */
export async function printReports(results: Results, reports: Iterable<Report> | AsyncIterable<Report>) {
  let lines = 0;
  let uncompared = 0;
  let failed = 0;
  let isWholeCompared = false;
  for await (const report of reports) {
    const isLine = report.line !== undefined;
    if (isLine) lines += 1;
    if (!isGood(report)) failed += 1;
    else if (report.compared === 0) uncompared += 1;
    else if (!isLine) isWholeCompared = true;
    const text = () => (isLine && isGood(report) ? '' : reportText(report));
    await results.write(() => reportJson(report), text);
  }
  if (lines > 0) {
    const without = uncompared > 0 ? `, ${uncompared} without an @id to compare with` : '';
    await results.write(
      () => '',
      () => `${counted(lines, 'statement')}, ${failed} failed${without}\n`,
    );
  }
  if (failed > 0) failNo('Verification failed.');
  if (uncompared > 0 && !isWholeCompared)
    failNo(
      lines > 0
        ? `Nothing is known about ${uncompared} of ${lines} lines, because they have no @id. Name the CID of the whole file with --cid.`
        : 'Nothing was verified, because there is no CID to compare with. Name one with --cid.',
    );
}
