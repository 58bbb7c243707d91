import { logTrust } from '../cli/client/log-trust.ts';
import { knownSigners } from '../cli/commands/verify/known-signers.ts';
import { type VerifyFlags, verifyPath } from '../cli/commands/verify/verify-path.ts';
import { exitCodes, Failure, failUsage } from '../cli/terminal/failure.ts';
import { messageOf, ServiceError } from '../domain/errors.ts';
import { Collected, type Outcome } from './collected.ts';
import { commandLine } from './command-line.ts';
import { placeFiles, readFile } from './dropped-files.ts';
import { prepareBlake3 } from './platform/blake3.ts';
import { checkPolicy, type PolicyCheck, type ReadPolicy, readDroppedPolicy } from './policy-checks.ts';
import { type Role, roleOf } from './roles.ts';
import { startThreadsWith } from './threads.ts';

/** What the page sends to its worker. */
export interface Dropped {
  /** The script of the page. */
  readonly script: string;
  readonly files: readonly { readonly path: string; readonly file: Blob }[];
  /** DIDs and keys of logs that the reader trusts. */
  readonly trusted: readonly string[];
  /** What policies are applied to; empty for dropped files, or the results of a manifest. */
  readonly subject: string;
  /** The DIDs that a signer `service` of a policy means. */
  readonly service: readonly string[];
}

type RoledFile = Pick<SortedFile, 'path' | 'role'>;

interface SortedFile {
  readonly path: string;
  readonly role: Role;
  /** Whether it is verified, rather than used to verify others. */
  readonly isSubject: boolean;
}

/** What the worker tells the page. */
export type Told =
  | { readonly kind: 'sorted'; readonly files: readonly SortedFile[] }
  | { readonly kind: 'begun'; readonly path: string }
  | { readonly kind: 'read'; readonly path: string; readonly bytes: number }
  | { readonly kind: 'outcome'; readonly outcome: Outcome }
  /** There is no manifest to which the policy could be applied. */
  | { readonly kind: 'unapplied'; readonly policy: string }
  /** Nothing could be verified. */
  | { readonly kind: 'refused'; readonly reason: string }
  | { readonly kind: 'done' };

/** The folder of the keys. */
const keysFolder = 'keys';

export function serveVerification(): void {
  const tell = (told: Told) => self.postMessage(told);
  self.onmessage = async ({ data }: MessageEvent<Dropped>) => {
    startThreadsWith(data.script);
    await prepareBlake3();
    try {
      await verifyAll(data, tell);
    } catch (error) {
      tell({ kind: 'refused', reason: messageOf(error) });
    } finally {
      tell({ kind: 'done' });
    }
  };
}

async function verifyAll(
  { files, trusted, subject, service }: Dropped,
  tell: (told: Told) => void,
): Promise<void> {
  placeFiles(new Map(files.map(({ path, file }) => [path, file])));
  const roles: RoledFile[] = [];
  for (const { path } of files) roles.push({ path, role: await roleOf(path) });
  const subjects = subjectsAmong(roles);
  const sorted = roles.map((one) => ({ ...one, isSubject: subjects.includes(one) }));
  tell({ kind: 'sorted', files: sorted });
  const all = new Map(files.map(({ path, file }) => [path, file]));
  const named = (role: Role) => sorted.filter((one) => one.role === role).map(({ path }) => path);
  for (const path of named('key')) all.set(`${keysFolder}/${path}`, all.get(path) ?? new Blob());
  placeFiles(all);
  const flags = await flagsOf(named, trusted);
  const policies = await Promise.all(named('policy').map(readDroppedPolicy));
  for (const read of policies) {
    if ('outcome' in read) tell({ kind: 'outcome', outcome: read.outcome });
    else if (named('manifest').length === 0) tell({ kind: 'unapplied', policy: read.path });
  }
  for (const { path, role } of subjects) {
    tell({ kind: 'begun', path });
    tell({ kind: 'outcome', outcome: await verifyOne(path, flagsFor(role, flags), tell) });
  }
  const stranger = service.find((text) => !isDid(text));
  if (stranger !== undefined) failUsage(`“${stranger}” is not the DID of a service.`);
  const beside = { ...flags, signer: [], service };
  for (const check of checksOf(policies, subject, named)) {
    tell({ kind: 'begun', path: check.policyPath });
    const onRead = (bytes: number) => tell({ kind: 'read', path: check.policyPath, bytes });
    tell({ kind: 'outcome', outcome: await checkPolicy(check, beside, onRead) });
  }
}

/** Each policy on each manifest: on what is named, else the other files that were dropped, else the results of the manifest. */
function* checksOf(policies: readonly ReadPolicy[], name: string, named: Named): Generator<PolicyCheck> {
  const files = named('other').map((file) => ({ file }));
  const subjects = name !== '' ? [{ name }] : files.length > 0 ? files : [{}];
  for (const manifest of named('manifest'))
    for (const read of policies)
      if ('policy' in read)
        for (const subject of subjects)
          yield { manifest, policyPath: read.path, policy: read.policy, ...subject };
}

type Named = (role: Role) => readonly string[];

const isDid = (text: string) => text.startsWith('did:');

/** As a command line would say it. @throws Failure (usage). */
async function flagsOf(named: Named, trusted: readonly string[]): Promise<VerifyFlags> {
  const [logPolicy, ...otherPolicies] = named('log policy');
  if (otherPolicies.length > 0) failUsage('These are several log policies. Drop one.');
  const keyFiles = await Promise.all(named('log key').map((path) => readFile(path, 'utf8')));
  const stranger = trusted.find((text) => !isDid(text) && !text.includes('+'));
  if (stranger !== undefined) failUsage(`“${stranger}” is neither a DID nor the key of a log.`);
  const flags = {
    cid: [],
    contexts: [],
    receipt: named('receipt'),
    statusList: named('status list'),
    statusIssuer: [],
    signer: trusted.filter(isDid),
    keys: named('key').length > 0 ? [keysFolder] : [],
    logKey: [...trusted.filter((text) => !isDid(text)), ...keyFiles.map(String)],
    ...(logPolicy !== undefined && { logPolicy }),
  };
  // Faulty ones are told before anything is verified.
  await Promise.all([knownSigners(flags), logTrust(flags)]);
  return flags;
}

/** What is to be verified. Receipts and status lists are, if nothing else is there. */
function subjectsAmong(files: readonly RoledFile[]): readonly RoledFile[] {
  const first = files.filter(({ role }) => ['manifest', 'credential', 'other'].includes(role));
  return first.length > 0 ? first : files.filter(({ role }) => ['receipt', 'status list'].includes(role));
}

const nothing = { receipt: [], statusList: [], signer: [], keys: [] } as const;

/** Without what does not concern such files, which the command refuses. */
function flagsFor(role: Role, flags: VerifyFlags): VerifyFlags {
  if (role === 'other') return { ...flags, ...nothing, receipt: flags.receipt };
  return role === 'receipt' ? { ...flags, ...nothing } : flags;
}

async function verifyOne(path: string, flags: VerifyFlags, tell: (told: Told) => void): Promise<Outcome> {
  const collected = new Collected(path, commandOf(path, flags), (bytes) =>
    tell({ kind: 'read', path, bytes }),
  );
  try {
    await verifyPath(collected, path, [], flags);
    return collected.outcome(exitCodes.done, '');
  } catch (error) {
    if (error instanceof Failure) return collected.outcome(error.exitCode, error.message);
    const isOurs = error instanceof ServiceError;
    const words = isOurs ? error.message : `Something failed inside the page: ${messageOf(error)}`;
    return collected.outcome(exitCodes.usage, words);
  }
}

function commandOf(
  path: string,
  { receipt, statusList, signer, keys, logKey, logPolicy }: VerifyFlags,
): string {
  return commandLine('cairn verify', [
    ['', [path]],
    ['--signer', signer],
    ['--keys', keys],
    ['--status-list', statusList],
    ['--log-key', logKey],
    ['--log-policy', logPolicy === undefined ? [] : [logPolicy]],
    ['--receipt', receipt],
  ]);
}
