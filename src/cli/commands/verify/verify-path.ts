import type { Credential } from '../../../domain/integrity/credentials/credential-records.ts';
import { parseCid } from '../../../domain/integrity/identifiers/cid.ts';
import type { ManifestFinding, ManifestSummary } from '../../../domain/integrity/manifest/summary.ts';
import type { Policy } from '../../../domain/integrity/policies/read-policy.ts';
import type { ContextSource } from '../../../domain/integrity/ports.ts';
import type { LocalIdentifier } from '../../client/local-identifier.ts';
import { manifestForm } from '../../client/manifest-form.ts';
import { isReceiptFile } from '../../client/receipts.ts';
import { failNo, failUsage } from '../../terminal/failure.ts';
import { shownIdentifier } from '../../terminal/identifier.ts';
import type { Checked } from '../check/check-offline.ts';
import { failUnlessPassed } from '../check/passed.ts';
import { expectedOf } from './expected-cids.ts';
import { openIdentifier, printReports } from './print-reports.ts';
import { unmetRequirement } from './requirements.ts';
import type { Results } from './results.ts';
import { hasTrustFlags, type VerificationFlags } from './verification-options.ts';
import { credentialIn } from './verify-credential.ts';
import { verifyFile } from './verify-file.ts';
import type { CarriedFile } from './verify-manifest.ts';

export interface VerifyFlags extends VerificationFlags {
  readonly cid: readonly string[];
  readonly receipt: readonly string[];
  readonly full?: true;
  /** Of a manifest, what decides whether its evidence is enough. */
  readonly decision?: Decision;
}

export interface Decision {
  readonly policy: Policy;
  /** DIDs that a signer `service` means. */
  readonly service: readonly string[];
}

/** Verifies a file offline. @throws Failure for every outcome but success. */
export async function verifyPath(
  results: Results,
  path: string,
  sources: readonly ContextSource[],
  flags: VerifyFlags,
): Promise<void> {
  const credential = flags.cid.length === 0 ? await credentialIn(path) : undefined;
  if (credential) return await printCredential(results, { name: path, credential }, sources, flags);
  if (await isReceiptFile(path)) return await printReceiptsOf(results, path, flags);
  const form = flags.cid.length === 0 ? await manifestForm(path) : undefined;
  if (form) return await verifyManifest(results, { path, form }, sources, flags);
  if (flags.receipt.length > 0)
    return await verifyLogged(results, path, await openIdentifier(sources), flags);
  assertNotTrusting(path, flags);
  const expected = expectedOf(flags.cid, path);
  await printReports(results, verifyFile(path, await openIdentifier(sources), expected));
}

/** @throws Failure (usage) */
export function assertNotTrusting(target: string, flags: VerifyFlags): void {
  if (hasTrustFlags(flags) || flags.receipt.length > 0)
    failUsage(
      `--status-…, --signer, --keys, --receipt and --require-… are for credentials and manifests. ${target} is neither.`,
    );
}

async function printCredential(
  results: Results,
  { name, credential }: { readonly name: string; readonly credential: Credential },
  sources: readonly ContextSource[],
  flags: VerifyFlags,
): Promise<void> {
  const { credentialJson, credentialText, verifyLocally } = await import('./verify-credential.ts');
  const result = await verifyLocally(credential, await openIdentifier(sources), flags);
  await results.write(
    () => credentialJson(name, credential, result),
    () => credentialText(name, result),
  );
  if (!result.verified) failNo('Verification failed.');
  if (flags.requireSigner && !result.isKnown)
    failNo('The issuer is not among those whom you trust (--require-signer).');
}

async function verifyManifest(
  results: Results,
  manifest: CarriedFile,
  sources: readonly ContextSource[],
  flags: VerifyFlags,
): Promise<void> {
  const { findingJson, manifestText, summaryJson } = await import('./manifest-output.ts');
  const { verifyManifestFile } = await import('./verify-manifest.ts');
  const { judge } = await import('../../../domain/integrity/policies/verification.ts');
  const isAsked = flags.signer.length > 0 || flags.keys.length > 0;
  const text = manifestText(manifest.path, { isFull: flags.full ?? false, isAsked });
  const onRead = (bytes: number) => results.read(bytes);
  const onFinding = async (finding: ManifestFinding) =>
    await results.write(
      () => findingJson(finding),
      () => text.finding(finding),
    );
  const { decision } = flags;
  const decided =
    decision && (await decide(manifest, sources, { ...flags, decision }, { onRead, onFinding }));
  const summary =
    decided?.summary ?? (await drained(verifyManifestFile(manifest, sources, flags, onRead), onFinding));
  const judgement = await judge(summary);
  const isFailed = judgement.answer === 'failed';
  const problem = isFailed ? 'Verification failed.' : unmetRequirement(summary, judgement, flags);
  const isOk = problem === undefined && (decided?.answer.result ?? 'pass') === 'pass';
  await results.write(
    () => summaryJson(manifest.path, summary, judgement, isOk),
    () => text.summary(summary, judgement),
  );
  if (!isFailed && flags.receipt.length > 0) {
    const { compareReceipts } = await import('./with-receipts.ts');
    await compareReceipts(results, flags.receipt, summary, flags);
  }
  if (decided) await printDecision(results, decided);
  if (problem !== undefined) failNo(problem);
  if (decision && decided) failUnlessPassed(decided, decision.policy);
}

interface Listeners {
  readonly onRead: (bytes: number) => void;
  readonly onFinding: (finding: ManifestFinding) => Promise<void>;
}

/** Verifies a manifest, and applies a policy to its results in the same pass. */
async function decide(
  manifest: CarriedFile,
  sources: readonly ContextSource[],
  { decision: { policy, service }, ...flags }: VerifyFlags & { readonly decision: Decision },
  { onRead, onFinding }: Listeners,
) {
  const { checkOffline } = await import('../check/check-offline.ts');
  const question = { subject: undefined, policy, explain: false };
  return await checkOffline(manifest, question, sources, { ...flags, service }, onRead, onFinding);
}

async function printDecision(results: Results, { answer, names }: Checked): Promise<void> {
  const { checkText } = await import('../check/check-text.ts');
  await results.write(
    () => `${JSON.stringify({ check: answer })}\n`,
    () => checkText(answer, (id) => shownIdentifier(id, names.get(id))),
  );
}

async function drained(
  findings: AsyncGenerator<ManifestFinding, ManifestSummary>,
  onFinding: Listeners['onFinding'],
): Promise<ManifestSummary> {
  let next = await findings.next();
  for (; !next.done; next = await findings.next()) await onFinding(next.value);
  return next.value;
}

/** Of --cid, each receipt must be of that statement. */
async function printReceiptsOf(results: Results, path: string, flags: VerifyFlags): Promise<void> {
  const { printReceipts } = await import('./with-receipts.ts');
  await printReceipts(results, [path], flags, flags.cid.map(parseCid));
}

/** A statement and its receipts. */
async function verifyLogged(results: Results, path: string, identifier: LocalIdentifier, flags: VerifyFlags) {
  const { printReceipts } = await import('./with-receipts.ts');
  const reports = await Array.fromAsync(verifyFile(path, identifier, expectedOf(flags.cid, path)));
  const { rdfc_cid: rdfc, jcs_cid: jcs } = reports[0]?.cids ?? {};
  if (reports.length !== 1 || !rdfc || !jcs)
    failUsage(`--receipt is for manifests and statements. ${path} is neither.`);
  await printReports(
    results,
    reports.map((report) => ({ ...report, compared: report.compared + 1 })),
  );
  await printReceipts(results, flags.receipt, flags, [rdfc, jcs].map(parseCid));
}
