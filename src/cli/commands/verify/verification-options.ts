import type { Command } from 'commander';
import type { LogOptions } from '../../client/log-trust.ts';
import type { SignerOptions } from './known-signers.ts';
import type { Requirements } from './requirements.ts';
import type { StatusOptions } from './verify-credential.ts';

export interface TrustFlags extends StatusOptions, LogOptions {
  readonly contexts: readonly string[];
  readonly keys: readonly string[];
}

export type VerificationFlags = TrustFlags & SignerOptions & Requirements;

/** The values of a repeatable option. */
export const collect = (value: string, values: readonly string[]) => [...values, value];

/** The options with which manifests and credentials are verified offline. */
export function addVerificationOptions(command: Command): Command {
  return addTrustOptions(command)
    .option('--signer <did>', 'somebody whom you trust (repeatable)', collect, [])
    .option('--require-signer', 'exit with 1 unless those whom you trust signed every statement')
    .option('--require-status', 'exit with 1 if a credential is revoked or suspended, or might be')
    .option('--require-complete', 'exit with 1 unless logs that you trust prove that nothing was left out');
}

/** What is known beside a manifest: contexts, keys, logs, and the status of credentials. */
export function addTrustOptions(command: Command): Command {
  const contexts = 'folder with context documents (cid/<cid>, https/<host>/<path>; repeatable)';
  const issuer = 'whose status lists count, beside the issuer of the credential (repeatable)';
  const keys = 'folder with keys that you trust: JWKs, JWK Sets, DID documents (repeatable)';
  return command
    .option('--contexts <folder>', contexts, collect, [])
    .option('--status-list <file>', 'a signed status list for credentials (repeatable)', collect, [])
    .option('--status-issuer <did>', issuer, collect, [])
    .option('--keys <folder>', keys, collect, [])
    .option('--log-key <vkey>', 'the key of a log that you trust (repeatable)', collect, [])
    .option('--log-policy <file>', 'logs that you trust and the witnesses that you require (tlog-policy)');
}

export function addServiceOption(command: Command): Command {
  const about = 'the DID that a signer "service" of the policy means (repeatable)';
  return command.option('--service <did>', about, collect, []);
}

/** Whether an option is given that only manifests and credentials have. */
export function hasTrustFlags(flags: VerificationFlags): boolean {
  const { statusList, statusIssuer, signer, keys } = flags;
  const isListed = [statusList, statusIssuer, signer, keys].some(({ length }) => length > 0);
  return [isListed, flags.requireSigner, flags.requireStatus, flags.requireComplete].includes(true);
}
