import type { Credential } from '../../../domain/integrity/credentials/credential-records.ts';
import { parseCid } from '../../../domain/integrity/identifiers/cid.ts';
import type { ContextSource } from '../../../domain/integrity/ports.ts';
import type { LocalIdentifier } from '../../client/local-identifier.ts';
import { manifestForm } from '../../client/manifest-form.ts';
import { isReceiptFile } from '../../client/receipts.ts';
import { failNo, failUsage } from '../../terminal/failure.ts';
import type { Io } from '../../terminal/io.ts';
import { writeText } from '../../terminal/output.ts';
import { openProgress } from '../../terminal/progress.ts';
import { expectedOf } from './expected-cids.ts';
import { openIdentifier, printReports } from './print-reports.ts';
import { unmetRequirement } from './requirements.ts';
import { hasTrustFlags, type VerificationFlags } from './verification-options.ts';
import { credentialIn } from './verify-credential.ts';
import { verifyFile } from './verify-file.ts';
import type { CarriedFile } from './verify-manifest.ts';

export interface VerifyFlags extends VerificationFlags {
  readonly cid: readonly string[];
  readonly receipt: readonly string[];
  readonly full?: true;
  readonly json?: true;
}

type Output = Pick<Io, 'stdout' | 'stderr'>;

/** Verifies a file offline, and prints what was found. @throws Failure for every outcome but success. */
export async function verifyPath(
  io: Output,
  path: string,
  sources: readonly ContextSource[],
  flags: VerifyFlags,
): Promise<void> {
  const credential = flags.cid.length === 0 ? await credentialIn(path) : undefined;
  if (credential) return await printCredential(io, { name: path, credential }, sources, flags);
  if (await isReceiptFile(path)) return await printReceiptsOf(io, path, flags);
  const form = flags.cid.length === 0 ? await manifestForm(path) : undefined;
  if (form) return await verifyManifest(io, { path, form }, sources, flags);
  if (flags.receipt.length > 0) return await verifyLogged(io, path, await openIdentifier(sources), flags);
  assertNotTrusting(path, flags);
  const expected = expectedOf(flags.cid, path);
  await printReports(io, verifyFile(path, await openIdentifier(sources), expected), flags);
}

/** @throws Failure (usage) */
export function assertNotTrusting(target: string, flags: VerifyFlags): void {
  if (hasTrustFlags(flags) || flags.receipt.length > 0)
    failUsage(
      `--status-…, --signer, --keys, --receipt and --require-… are for credentials and manifests. ${target} is neither.`,
    );
}

async function printCredential(
  io: Output,
  { name, credential }: { readonly name: string; readonly credential: Credential },
  sources: readonly ContextSource[],
  flags: VerifyFlags,
): Promise<void> {
  const { credentialJson, credentialText, verifyLocally } = await import('./verify-credential.ts');
  const result = await verifyLocally(credential, await openIdentifier(sources), flags);
  await writeText(io, flags.json ? credentialJson(name, credential, result) : credentialText(name, result));
  if (!result.verified) failNo('Verification failed.');
  if (flags.requireSigner && !result.isKnown)
    failNo('The issuer is not among those whom you trust (--require-signer).');
}

async function verifyManifest(
  io: Output,
  manifest: CarriedFile,
  sources: readonly ContextSource[],
  flags: VerifyFlags,
): Promise<void> {
  const { findingJson, manifestText, summaryJson } = await import('./manifest-output.ts');
  const { verifyManifestFile } = await import('./verify-manifest.ts');
  const asJson = flags.json ?? false;
  const isAsked = flags.signer.length > 0 || flags.keys.length > 0;
  const text = manifestText(manifest.path, { isFull: flags.full ?? false, isAsked });
  using progress = openProgress(io, { total: undefined });
  const findings = verifyManifestFile(manifest, sources, flags, (bytes) =>
    progress.update(bytes, `${(bytes / 2 ** 20).toFixed(0)} MiB read`),
  );
  let next = await findings.next();
  for (; !next.done; next = await findings.next())
    await writeText(io, asJson ? findingJson(next.value) : text.finding(next.value));
  await writeText(io, asJson ? summaryJson(manifest.path, next.value, flags) : text.summary(next.value));
  if (next.value.faults > 0) failNo('Verification failed.');
  if (flags.receipt.length > 0) {
    const { compareReceipts } = await import('./with-receipts.ts');
    await compareReceipts(io, flags.receipt, next.value, flags);
  }
  const problem = unmetRequirement(next.value, flags);
  if (problem !== undefined) failNo(problem);
}

/** Of --cid, each receipt must be of that statement. */
async function printReceiptsOf(io: Output, path: string, flags: VerifyFlags): Promise<void> {
  const { printReceipts } = await import('./with-receipts.ts');
  await printReceipts(io, [path], flags, flags.cid.map(parseCid));
}

/** A statement and its receipts. */
async function verifyLogged(io: Output, path: string, identifier: LocalIdentifier, flags: VerifyFlags) {
  const { printReceipts } = await import('./with-receipts.ts');
  const reports = await Array.fromAsync(verifyFile(path, identifier, expectedOf(flags.cid, path)));
  const { rdfc_cid: rdfc, jcs_cid: jcs } = reports[0]?.cids ?? {};
  if (reports.length !== 1 || !rdfc || !jcs)
    failUsage(`--receipt is for manifests and statements. ${path} is neither.`);
  await printReports(
    io,
    reports.map((report) => ({ ...report, compared: report.compared + 1 })),
    flags,
  );
  await printReceipts(io, flags.receipt, flags, [rdfc, jcs].map(parseCid));
}
