import type { Command } from 'commander';
import type { Credential } from '../../domain/integrity/credentials/credential-records.ts';
import { cidIn, parseCid } from '../../domain/integrity/identifiers/cid.ts';
import type { ContextSource } from '../../domain/integrity/ports.ts';
import { openClient } from '../client/api-client.ts';
import { readClientSettings } from '../client/client-settings.ts';
import { contextFolders } from '../client/context-folders.ts';
import { pathKind } from '../client/local-files.ts';
import type { LocalIdentifier } from '../client/local-identifier.ts';
import { manifestForm } from '../client/manifest-form.ts';
import { isReceiptFile } from '../client/receipts.ts';
import { failNo, failUsage } from '../terminal/failure.ts';
import type { Io } from '../terminal/io.ts';
import { writeText } from '../terminal/output.ts';
import { openProgress } from '../terminal/progress.ts';
import { expectedOf } from './verify/expected-cids.ts';
import { isGood, type Report, reportJson, reportText } from './verify/report.ts';
import { unmetRequirement } from './verify/requirements.ts';
import {
  addVerificationOptions,
  collect,
  hasTrustFlags,
  type VerificationFlags,
} from './verify/verification-options.ts';
import { credentialIn } from './verify/verify-credential.ts';
import { verifyFile } from './verify/verify-file.ts';
import type { CarriedFile } from './verify/verify-manifest.ts';
import { fetchedContexts, verifyStored } from './verify/verify-stored.ts';

interface VerifyFlags extends VerificationFlags {
  readonly cid: readonly string[];
  readonly receipt: readonly string[];
  readonly full?: true;
  readonly json?: true;
}

const notes = `
A file is verified offline:
  a statement (JSON with @context)   both CIDs are recomputed and the id is compared with @id
  .ndjson, .jsonl                    every line is verified as a statement
  a credential                       its proof, dates, issuer, and its status by --status-list
  a manifest (JSON or CAR)           every id, hash, reference and signature is verified; missing content is listed
  receipts of a log                  the paths to a checkpoint, and its signatures by --log-key or --log-policy
  anything else                      the bytes are compared with --cid or with the CID in the file name
The content of a CID is fetched from the service and recomputed here.
Without an @id, a --cid or a CID in the file name there is nothing to compare with, and the exit code is 1.

Verifying shows that nothing was altered, and who signed. Anybody can make such a manifest, so say whom you trust: --signer
names a DID, and --keys a folder with JWKs, JWK Sets or DID documents (the only way to check did:web). The output counts what
they signed, what others signed and what nobody signed. Exit code 1 with --require-signer: a statement is not signed, valid
now and as a whole, by somebody whom you trust. With --require-status: a credential is revoked or suspended, or its status is
unknown.

A manifest that was exported with --proofs has all statements of a log up to one point of time, which is verified, too. --receipt
compares it with receipts: exit code 1 and "PROOF OF OMISSION" if one is of a statement that the manifest should have and lacks.
With a statement, --receipt says when it was in a log.

Contexts come from this program, from --contexts and from CAIRN_CONTEXTS_DIR.

Examples:
  $ cairn verify statement.json
  $ cairn verify model.bin --cid bafkr4i…
  $ cairn verify statements.ndjson --contexts ./contexts
  $ cairn verify evidence.car
  $ cairn verify evidence.car --signer did:key:z6Mk… --keys ./keys --require-signer
  $ cairn verify credential.json --status-list revocation.json --status-list suspension.json
  $ cairn verify evidence.car --log-policy log.policy --require-complete --receipt receipts.jsonl
  $ cairn verify statement.json --receipt statement.tlog-proof --log-key cairn.example/log/v1+1b2e3f40+AQ…
  $ cairn verify urn:cid:bagb6qaq6e… --json`;

export function verifyCommand(program: Command, io: Io): void {
  const command = program
    .command('verify')
    .description('recompute the CIDs of a file or of stored content and report differences')
    .argument('<file or id>', 'a file, or a CID with or without urn:cid:')
    .option('--cid <cid>', 'a CID that the content must have (repeatable)', collect, []);
  addVerificationOptions(command)
    .option('--receipt <file>', 'a receipt, or receipts in lines (repeatable)', collect, [])
    .option('--full', 'of a manifest, print each signed statement and each credential')
    .option('--json', 'print one JSON object per line')
    .addHelpText('after', notes)
    .action(async (target: string, flags: VerifyFlags) => await verify(io, target, flags));
}

async function verify(io: Io, target: string, flags: VerifyFlags): Promise<void> {
  const settings = readClientSettings(io);
  const folders = await contextFolders(flags.contexts, settings);
  const kind = await pathKind(target);
  if (kind === 'folder') failUsage(`${target} is a folder. Name one of its files.`);
  if (kind === 'stream') failUsage(`${target} can be read only once. Name a file.`);
  const credential = kind === 'file' && flags.cid.length === 0 ? await credentialIn(target) : undefined;
  if (credential) return await printCredential(io, { name: target, credential }, folders, flags);
  if (kind === 'file' && (await isReceiptFile(target))) return await printReceiptsOf(io, target, flags);
  const form = kind === 'file' && flags.cid.length === 0 ? await manifestForm(target) : undefined;
  if (form) return await verifyManifest(io, { path: target, form }, folders, flags);
  if (kind === 'file' && flags.receipt.length > 0)
    return await verifyLogged(io, target, await openIdentifier(folders), flags);
  if (hasTrustFlags(flags) || flags.receipt.length > 0)
    failUsage(
      `--status-…, --signer, --keys, --receipt and --require-… are for credentials and manifests. ${target} is neither.`,
    );
  if (kind === 'file') {
    const expected = expectedOf(flags.cid, target);
    return await printReports(io, verifyFile(target, await openIdentifier(folders), expected), flags);
  }
  const cid = cidIn(target);
  if (!cid) failUsage(`"${target}" is neither a file that exists nor a CID.`);
  if (flags.cid.length > 0) failUsage('--cid is only for files. A CID is compared with itself.');
  const client = openClient(settings);
  const identifier = await openIdentifier([...folders, fetchedContexts(client)]);
  await printReports(io, [await verifyStored(client, cid, identifier)], flags);
}

async function printCredential(
  io: Io,
  { name, credential }: { readonly name: string; readonly credential: Credential },
  sources: readonly ContextSource[],
  flags: VerifyFlags,
): Promise<void> {
  const { credentialJson, credentialText, verifyLocally } = await import('./verify/verify-credential.ts');
  const result = await verifyLocally(credential, await openIdentifier(sources), flags);
  await writeText(io, flags.json ? credentialJson(name, credential, result) : credentialText(name, result));
  if (!result.verified) failNo('Verification failed.');
  if (flags.requireSigner && !result.isKnown)
    failNo('The issuer is not among those whom you trust (--require-signer).');
}

async function verifyManifest(
  io: Io,
  manifest: CarriedFile,
  sources: readonly ContextSource[],
  flags: VerifyFlags,
): Promise<void> {
  const { findingJson, manifestText, summaryJson } = await import('./verify/manifest-output.ts');
  const { verifyManifestFile } = await import('./verify/verify-manifest.ts');
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
    const { compareReceipts } = await import('./verify/with-receipts.ts');
    await compareReceipts(io, flags.receipt, next.value, flags);
  }
  const problem = unmetRequirement(next.value, flags);
  if (problem !== undefined) failNo(problem);
}

/** Of --cid, each receipt must be of that statement. */
async function printReceiptsOf(io: Io, path: string, flags: VerifyFlags): Promise<void> {
  const { printReceipts } = await import('./verify/with-receipts.ts');
  await printReceipts(io, [path], flags, flags.cid.map(parseCid));
}

/** A statement and its receipts. */
async function verifyLogged(io: Io, path: string, identifier: LocalIdentifier, flags: VerifyFlags) {
  const { printReceipts } = await import('./verify/with-receipts.ts');
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

/** Imports JSON-LD only when needed, because loading it takes time. */
async function openIdentifier(sources: readonly ContextSource[]): Promise<LocalIdentifier> {
  const { LocalIdentifier } = await import('../client/local-identifier.ts');
  return new LocalIdentifier(sources);
}

/** For a file of lines, text output shows only failed lines and a count. */
async function printReports(
  io: Io,
  reports: Iterable<Report> | AsyncIterable<Report>,
  { json: asJson }: Pick<VerifyFlags, 'json'>,
) {
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
    if (asJson) await writeText(io, reportJson(report));
    else if (!isLine || !isGood(report)) await writeText(io, reportText(report));
  }
  if (lines > 0 && !asJson) {
    const without = uncompared > 0 ? `, ${uncompared} without an @id to compare with` : '';
    await writeText(io, `${lines} statements, ${failed} failed${without}\n`);
  }
  if (failed > 0) failNo('Verification failed.');
  if (uncompared > 0 && !isWholeCompared)
    failNo(
      lines > 0
        ? `Nothing is known about ${uncompared} of ${lines} lines, because they have no @id. Name the CID of the whole file with --cid.`
        : 'Nothing was verified, because there is no CID to compare with. Name one with --cid.',
    );
}
