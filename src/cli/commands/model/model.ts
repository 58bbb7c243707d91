import { readFile, realpath } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import type { Command } from 'commander';
import { EvidenceProblem } from '../../../domain/integrity/evidence/evidence.ts';
import {
  type ModelBundle,
  readModelBundle,
} from '../../../domain/integrity/evidence/model-signing/model-bundle.ts';
import { gitPaths } from '../../../domain/integrity/evidence/model-signing/signed-model.ts';
import { parseStrictJson } from '../../../domain/json/strict-json.ts';
import { pathKind, writeWhole } from '../../client/local-files.ts';
import { readCertificates } from '../../model/certificates.ts';
import { checkSignature, type ModelTrust } from '../../model/check-signature.ts';
import { readPrivateKey } from '../../model/keys.ts';
import { relativeName } from '../../model/model-files.ts';
import { assertCertifies, signModel } from '../../model/sign-model.ts';
import { type ModelChanges, verifyModel } from '../../model/verify-model.ts';
import { failNo, failUsage } from '../../terminal/failure.ts';
import type { Io } from '../../terminal/io.ts';
import { printableLine, say, writeText } from '../../terminal/output.ts';
import { bytesRead } from '../../terminal/progress.ts';
import { lineFor } from '../import/evidence.ts';
import { collect } from '../verify/verification-options.ts';
import { recordSigning } from './record-signing.ts';

interface PathFlags {
  readonly signature: string;
  readonly ignorePaths: readonly string[];
  readonly ignoreGitPaths: boolean;
  readonly allowSymlinks?: true;
  readonly json?: true;
}

interface SignFlags extends PathFlags {
  readonly privateKey: string;
  readonly passwordFile?: string;
  readonly signingCertificate?: string;
  readonly certificateChain: readonly string[];
  readonly record?: true;
  readonly graph?: string;
}

interface VerifyFlags extends PathFlags, ModelTrust {
  readonly ignoreUnsignedFiles?: true;
}

const about = `
Signatures follow OpenSSF Model Signing 1.0, so "model_signing" of the reference implementation verifies them, and the other way
round. The signature itself and the files of git are left out.`;

const signNotes = `${about}

The key is on P-256, P-384 or P-521: a PEM file, or one of "cairn key create --p256". With a certificate the signature has its
chain. Keyless signing with Sigstore is not part of Cairn.

Examples:
  $ cairn key create --p256 model-key.json
  $ cairn model sign ./credit-model --private-key model-key.json
  $ cairn model sign ./credit-model --private-key model-key.json --record
  $ cairn model sign ./credit-model --signature credit-model.sig --private-key key.pem \\
      --signing-certificate cert.pem --certificate-chain intermediate.pem --certificate-chain root.pem`;

const verifyNotes = `${about}

Say whom you trust: with a key, with root certificates, or with an identity and who vouches for it. Exit code 1 if the signature
does not hold, or if a file was changed, added or removed; each one is printed.

Examples:
  $ cairn model verify ./credit-model --signature model.sig --public-key key.pub
  $ cairn model verify ./credit-model --signature model.sig --public-key did:key:zDna…
  $ cairn model verify ./credit-model --signature model.sig --certificate-chain root.pem
  $ cairn model verify ./credit-model --signature model.sig --identity ada@example.com \\
      --identity-provider https://accounts.example.com --trusted-root trusted_root.json`;

export function modelCommand(program: Command, io: Io): void {
  const model = program.command('model').description('sign and verify the files of a model');
  const add = (command: Command) =>
    command
      .argument('<model>', 'the folder of the model, or its only file')
      .option('--ignore-paths <path>', 'a file or folder to leave out (repeatable)', collect, [])
      .option('--no-ignore-git-paths', `do not leave out ${gitPaths.join(', ')}`)
      .option('--allow-symlinks', 'follow links to files')
      .option('--json', 'print the result as a JSON object');
  add(model.command('sign').description('sign the files of a model'))
    .option('--signature <file>', 'where to write the signature', 'model.sig')
    .requiredOption('--private-key <file>', 'the key, in PEM or as a JWK')
    .option('--password-file <file>', 'a file with the password of the key')
    .option('--signing-certificate <file>', 'the certificate of the key, in PEM')
    .option('--certificate-chain <file>', 'certificates above it, in PEM (repeatable)', collect, [])
    .option('--record', 'store the model and its signature in the service, and record the signing')
    .option('--graph <graph>', 'with --record: UUID or name of a graph (default: the one of cairn.json)')
    .addHelpText('after', signNotes)
    .action(async (path: string, flags: SignFlags) => await sign(io, path, flags));
  add(model.command('verify').description('compare a model with its signature'))
    .requiredOption('--signature <file>', 'the signature')
    .option('--public-key <key>', 'a file with the key of the signer, or a did:key')
    .option(
      '--certificate-chain <file>',
      'root certificates that you trust, in PEM (repeatable)',
      collect,
      [],
    )
    .option('--identity <identity>', 'who must have signed with Sigstore, such as an e-mail address')
    .option('--identity-provider <url>', 'the OpenID Connect issuer that vouches for the identity')
    .option('--trusted-root <file>', 'a trusted_root.json (default: CAIRN_SIGSTORE_TRUSTED_ROOT)')
    .option('--ignore-unsigned-files', 'accept files that were not signed')
    .addHelpText('after', verifyNotes)
    .action(async (path: string, flags: VerifyFlags) => await verify(io, path, flags));
}

async function sign(io: Io, path: string, flags: SignFlags): Promise<void> {
  const root = await modelRoot(io, path);
  const { signingCertificate, certificateChain, allowSymlinks = false } = flags;
  if (flags.graph !== undefined && !flags.record) failUsage('--graph belongs to --record.');
  if (signingCertificate === undefined && certificateChain.length > 0)
    failUsage('--certificate-chain belongs to a certificate. Name it with --signing-certificate.');
  const at = (name: string) => resolve(io.cwd, name);
  const key = await readPrivateKey(at(flags.privateKey), flags.passwordFile && at(flags.passwordFile));
  const own = signingCertificate === undefined ? [] : await readCertificates([at(signingCertificate)]);
  const certificates = [...own, ...(await readCertificates(certificateChain.map(at)))];
  if (own[0]) assertCertifies(own[0], key);
  const signature = at(flags.signature);
  const ignored = [...(await ignoredIn(io, root, flags)), ...(flags.ignoreGitPaths ? gitPaths : [])];
  const signFiles = async () => {
    const signed = await signModel({ root, ignored, allowSymlinks, key, certificates }, bytesRead(io));
    warnAbout(io, signed.outside);
    await writeWhole(signature, `${JSON.stringify(signed.bundle)}\n`);
    const { files, root: sha256 } = signed;
    return { signature: flags.signature, files: files.length, sha256 };
  };
  if (!flags.record) return await reportSigned(io, await signFiles(), flags.json);
  const places = { model: path, root, signature, graph: flags.graph };
  const { signed, run, imported } = await recordSigning(io, places, signFiles);
  const { graph, computation, inputs } = run;
  const { file: _, ...evidence } = imported;
  const recorded = { model: inputs[0]?.cid, graph, computation, ...evidence };
  await reportSigned(io, { ...signed, ...recorded }, flags.json);
  if (flags.json) return;
  await writeText(
    io,
    `Recorded "${printableLine(run.name)}" in ${graph ? `the graph ${graph}` : 'no graph'}\n`,
  );
  await writeText(io, `${lineFor({ ...imported, file: flags.signature })}\n`);
}

interface SignedFiles {
  readonly signature: string;
  readonly files: number;
  readonly sha256: string;
}

async function reportSigned(io: Io, signed: SignedFiles, asJson = false): Promise<void> {
  const { files, signature } = signed;
  const sentence = `Signed ${count(files)} in ${printableLine(signature)}`;
  await writeText(io, asJson ? `${JSON.stringify(signed)}\n` : `${sentence}\n`);
}

async function verify(io: Io, path: string, flags: VerifyFlags): Promise<void> {
  const root = await modelRoot(io, path);
  const at = (name: string) => resolve(io.cwd, name);
  const bytes = await readFile(at(flags.signature));
  const bundle = bundleIn(flags.signature, bytes);
  const { publicKey, trustedRoot = io.env.CAIRN_SIGSTORE_TRUSTED_ROOT || undefined } = flags;
  const signer = await checkSignature(bytes, bundle, {
    ...flags,
    certificateChain: flags.certificateChain.map(at),
    ...(publicKey !== undefined && { publicKey: publicKey.startsWith('did:') ? publicKey : at(publicKey) }),
    ...(trustedRoot !== undefined && { trustedRoot: at(trustedRoot) }),
  });
  const changes = await verifyModel(
    bundle.model,
    {
      root,
      ignored: await ignoredIn(io, root, flags),
      ignoreGitPaths: flags.ignoreGitPaths,
      ignoreUnsigned: flags.ignoreUnsignedFiles ?? false,
      allowSymlinks: flags.allowSymlinks ?? false,
    },
    bytesRead(io),
  );
  warnAbout(io, changes.outside);
  await report(io, signer, changes, flags.json ?? false);
}

async function report(io: Io, signer: string, changes: ModelChanges, asJson: boolean): Promise<void> {
  const { same, changed, added, missing } = changes;
  const differ = changed.length + added.length + missing.length;
  if (asJson) {
    const verified = differ === 0;
    await writeText(io, `${JSON.stringify({ verified, signer, files: same, changed, added, missing })}\n`);
  } else {
    for (const [word, names] of Object.entries({ changed, added, missing }))
      for (const name of names) await writeText(io, `${word.padEnd(8)} ${printableLine(name)}\n`);
    if (differ === 0) await writeText(io, `${count(same)} as signed by ${printableLine(signer)}\n`);
  }
  if (differ > 0)
    failNo(
      `The model is not as it was signed by ${signer}: ${changed.length} changed, ${added.length} added, ${missing.length} missing.`,
    );
}

async function modelRoot(io: Io, path: string): Promise<string> {
  const kind = await pathKind(resolve(io.cwd, path));
  if (!kind) failUsage(`The model ${path} does not exist.`);
  if (kind === 'stream') failUsage(`${path} is neither a folder nor a regular file.`);
  return await realpath(resolve(io.cwd, path));
}

/** What is left out, relative to the model: the signature, and what the user names, relative to here or to the model. */
async function ignoredIn(
  io: Io,
  root: string,
  { ignorePaths, signature }: Pick<PathFlags, 'ignorePaths' | 'signature'>,
): Promise<string[]> {
  const nameOf = async (folder: string, path: string) => {
    const absolute = resolve(folder, path);
    const parent = await realpath(dirname(absolute)).catch(() => dirname(absolute));
    return relativeName(root, join(parent, basename(absolute)));
  };
  const own = await nameOf(io.cwd, signature);
  const ignored = own === undefined || own === '' ? [] : [own];
  for (const path of ignorePaths) {
    const name = (await nameOf(io.cwd, path)) ?? (await nameOf(root, path));
    // What is outside of the model is not signed anyway.
    if (name === undefined) continue;
    if (name === '') failUsage(`--ignore-paths ${path} leaves nothing of the model.`);
    ignored.push(name);
  }
  return ignored;
}

function bundleIn(path: string, bytes: Uint8Array): ModelBundle {
  try {
    return readModelBundle(parseStrictJson(bytes, { maxDepth: 64, exactNumbers: false }));
  } catch (error) {
    if (error instanceof EvidenceProblem) failNo(`${path} is no valid model signature: ${error.message}`);
    failNo(`${path} is no model signature: ${error instanceof Error ? error.message : error}`);
  }
}

function warnAbout(io: Io, outside: readonly string[]): void {
  for (const name of outside) say(io, `${printableLine(name)} is a link that leads out of the model.`);
}

function count(files: number): string {
  return files === 1 ? '1 file' : `${files} files`;
}
