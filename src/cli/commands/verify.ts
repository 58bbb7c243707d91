import type { Command } from 'commander';
import { cidIn } from '../../domain/integrity/identifiers/cid.ts';
import { openClient } from '../client/api-client.ts';
import { readClientSettings } from '../client/client-settings.ts';
import { contextFolders } from '../client/context-folders.ts';
import { pathKind } from '../client/local-files.ts';
import { manifestForm } from '../client/manifest-form.ts';
import { failUsage } from '../terminal/failure.ts';
import type { Io } from '../terminal/io.ts';
import { say } from '../terminal/output.ts';
import { unnamedService } from './check/passed.ts';
import { openIdentifier, printReports } from './verify/print-reports.ts';
import { printed } from './verify/results.ts';
import { addServiceOption, addVerificationOptions, collect } from './verify/verification-options.ts';
import { assertNotTrusting, type Decision, type VerifyFlags, verifyPath } from './verify/verify-path.ts';
import { fetchedContexts, verifyStored } from './verify/verify-stored.ts';

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

With --policy, the results of a manifest are checked after that, as "cairn check" does it: exit code 1 if the policy is not
fulfilled, 4 if nobody can tell.

Contexts come from this program, from --contexts and from CAIRN_CONTEXTS_DIR.

Examples:
  $ cairn verify statement.json
  $ cairn verify model.bin --cid bafkr4i…
  $ cairn verify statements.ndjson --contexts ./contexts
  $ cairn verify evidence.car
  $ cairn verify evidence.car --signer did:key:z6Mk… --keys ./keys --require-signer
  $ cairn verify evidence.car --policy release.yaml
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
  addServiceOption(addVerificationOptions(command))
    .option('--policy <file>', 'of a manifest, also decide by this policy or template, as cairn check does')
    .option('--receipt <file>', 'a receipt, or receipts in lines (repeatable)', collect, [])
    .option('--full', 'of a manifest, print each signed statement and each credential')
    .option('--json', 'print one JSON object per line')
    .addHelpText('after', notes)
    .action(async (target: string, flags: Parameters<typeof verify>[2]) => await verify(io, target, flags));
}

type Flags = VerifyFlags & {
  readonly json?: true;
  readonly policy?: string;
  readonly service: readonly string[];
};

async function verify(io: Io, target: string, flags: Flags): Promise<void> {
  const settings = readClientSettings(io);
  const folders = await contextFolders(flags.contexts, settings);
  const kind = await pathKind(target);
  if (kind === 'folder') failUsage(`${target} is a folder. Name one of its files.`);
  if (kind === 'stream') failUsage(`${target} can be read only once. Name a file.`);
  if (flags.policy === undefined && flags.service.length > 0)
    failUsage('--service says whom a policy means. Name the policy with --policy.');
  const decision = flags.policy === undefined ? undefined : await decisionBy(io, target, flags.policy, flags);
  if (kind === 'file')
    return await verifyPath(printed(io, flags), target, folders, { ...flags, ...(decision && { decision }) });
  assertNotTrusting(target, flags);
  const cid = cidIn(target);
  if (!cid) failUsage(`"${target}" is neither a file that exists nor a CID.`);
  if (flags.cid.length > 0) failUsage('--cid is only for files. A CID is compared with itself.');
  const client = openClient(settings);
  const identifier = await openIdentifier([...folders, fetchedContexts(client)]);
  await printReports(printed(io, flags), [await verifyStored(client, cid, identifier)]);
}

/** @throws Failure (usage) */
async function decisionBy(io: Io, target: string, text: string, { cid, service }: Flags): Promise<Decision> {
  if (cid.length > 0)
    failUsage('--policy is for manifests, and --cid compares the bytes of a file. Leave one out.');
  const isFile = (await pathKind(target)) === 'file';
  const form = isFile ? await manifestForm(target) : undefined;
  if (!form)
    failUsage(
      `--policy is for manifests, and ${target} is not a manifest. Ask "cairn check" about other things.`,
    );
  const { templatePolicy } = await import('./report/template-policy.ts');
  const policy = await templatePolicy(io, text, { path: target, form });
  const unnamed = unnamedService(policy, service);
  if (unnamed !== undefined) say(io, unnamed);
  return { policy, service };
}
