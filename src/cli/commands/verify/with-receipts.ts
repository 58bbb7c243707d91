import { logSubject } from '../../../contract/log-words.ts';
import { counted } from '../../../contract/words/text.ts';
import type { Cid } from '../../../domain/integrity/identifiers/cid.ts';
import type { ManifestSummary } from '../../../domain/integrity/manifest/summary.ts';
import type { VerifiedReceipt } from '../../../domain/log/receipt.ts';
import { type ReceiptStanding, WholeLogChecks } from '../../../domain/log/whole-logs.ts';
import { type LogOptions, logTrust } from '../../client/log-trust.ts';
import { failNo } from '../../terminal/failure.ts';
import type { Results } from './results.ts';
import {
  type CheckedReceipt,
  receiptJson,
  receiptText,
  receiptWords,
  verifyReceipts,
} from './verify-receipts.ts';

/**
 * Verifies files of receipts. Of many receipts, only the wrong ones are printed.
 * @param expected CIDs that the statement of each must have.
 */
export async function printReceipts(
  results: Results,
  files: readonly string[],
  flags: LogOptions,
  expected: readonly Cid[] = [],
): Promise<void> {
  const trust = await logTrust(flags);
  let [lines, failed] = [0, 0];
  for (const file of files)
    for await (const checked of verifyReceipts(file, trust, expected)) {
      const isLine = checked.line !== undefined;
      if (isLine) lines += 1;
      if (!checked.receipt) failed += 1;
      const isShown = !isLine || !checked.receipt || expected.length > 0;
      await results.write(
        () => receiptJson(checked),
        () => (isShown ? receiptText(checked) : ''),
      );
    }
  if (lines > 0)
    await results.write(
      () => '',
      () => `${counted(lines, 'receipt')}, ${failed} failed${ofUnknown(trust)}\n`,
    );
  if (failed > 0) failNo('Verification failed.');
}

function ofUnknown({ logs, policy }: Awaited<ReturnType<typeof logTrust>>): string {
  return logs.length + policy.logs.length === 0
    ? '. Nobody can tell whose logs they are of without a key (--log-key, --log-policy)'
    : '';
}

/** Compares receipts with a manifest that is unaltered. @throws Failure (no) if one contradicts it, or cannot be compared. */
export async function compareReceipts(
  results: Results,
  files: readonly string[],
  { logs }: Pick<ManifestSummary, 'logs'>,
  flags: LogOptions,
): Promise<void> {
  const trust = await logTrust(flags);
  const wholes = logs.map((log) => ({ log, checks: new WholeLogChecks(log) }));
  let bad = 0;
  for (const file of files)
    for await (const checked of verifyReceipts(file, trust)) {
      const standing = checked.receipt && standingOf(checked.receipt, wholes);
      if (standing !== 'included' && standing !== 'later') bad += 1;
      await results.write(
        () => receiptJson(checked, { standing }),
        () => standingText(checked, standing),
      );
    }
  if (bad > 0) failNo('A receipt contradicts the manifest, or cannot be compared with it.');
}

type Standing = ReceiptStanding | 'not_whole';

function standingOf(
  receipt: VerifiedReceipt,
  wholes: readonly { readonly log: ManifestSummary['logs'][number]; readonly checks: WholeLogChecks }[],
): Standing {
  const { origin } = receipt.checkpoint;
  const same = wholes.filter(({ log }) => log.log === receipt.log && log.checkpoint.origin === origin);
  const standings = same.map(({ checks }) => checks.standingOf(receipt));
  return standings.find((one) => one !== 'included' && one !== 'later') ?? standings[0] ?? 'not_whole';
}

const contradictions: Readonly<Record<Exclude<Standing, 'included' | 'later' | 'not_whole'>, string>> = {
  omitted:
    'PROOF OF OMISSION: the manifest says that it has every entry of this log, and it has something else in that place.',
  other_history:
    'PROOF OF TWO HISTORIES: the manifest has the statement in that place, but other entries than the log had at the time of the receipt.',
  other_log: 'PROOF OF TWO LOGS: the service has kept a second log of the same thing for the receipt.',
};

function standingText(checked: CheckedReceipt, standing: Standing | null): string {
  const { receipt } = checked;
  if (!receipt || !standing) return receiptText(checked);
  const words = receiptWords(receipt);
  switch (standing) {
    case 'included':
      return `in the manifest: ${words}\n`;
    case 'later':
      return `later than the manifest: ${words}\n`;
    case 'not_whole':
      return `CANNOT TELL: the manifest does not have ${logSubject(receipt.log)} of ${receipt.checkpoint.origin} as a whole. ${words}\n`;
    default:
      return `${contradictions[standing]}${receipt.checkpoint.isKnown ? '' : ' It is one if both are of the same service.'}\n  ${words}\n`;
  }
}
