import type { Credential } from '../../../domain/integrity/credentials/credential-records.ts';
import { listStatusCheck } from '../../../domain/integrity/credentials/list-status.ts';
import {
  issuerOf,
  type VerifiedCredential,
  verifyCredential,
} from '../../../domain/integrity/credentials/verify-credential.ts';
import { pathKind } from '../../client/local-files.ts';
import type { LocalIdentifier } from '../../client/local-identifier.ts';
import { failUsage } from '../../terminal/failure.ts';
import { printable } from '../../terminal/printable.ts';
import { credentialIn } from './credential-file.ts';
import { knownSigners, type SignerOptions } from './known-signers.ts';

export interface StatusOptions {
  /** Files with status list credentials. */
  readonly statusList: readonly string[];
  /** DIDs whose status lists count, beside the issuer of the credential. */
  readonly statusIssuer: readonly string[];
}

interface LocallyVerified extends VerifiedCredential {
  /** Whether the user trusts the issuer; undefined if they have not said whom they trust. */
  readonly isKnown: boolean | undefined;
}

/** Verifies a credential without a service. */
export async function verifyLocally(
  credential: Credential,
  identifier: LocalIdentifier,
  { statusList, statusIssuer, ...signers }: StatusOptions & SignerOptions,
): Promise<LocallyVerified> {
  const lists = await Promise.all(statusList.map(listIn));
  const { dids, methods } = await knownSigners(signers);
  const ports = { identifier, ownKeys: [], givenKeys: methods, now: () => new Date() };
  const statusCheck = listStatusCheck({ ...ports, lists, listIssuers: statusIssuer });
  const result = await verifyCredential({ ...ports, statusCheck }, credential);
  return { ...result, isKnown: dids.size === 0 ? undefined : dids.has(issuerOf(credential) ?? '') };
}

export async function listIn(path: string): Promise<Credential> {
  if ((await pathKind(path)) !== 'file') failUsage(`The status list ${path} is not a file that exists.`);
  const list = await credentialIn(path);
  return list ?? failUsage(`${path} is not a status list: a credential as JSON.`);
}

export function credentialJson(name: string, { id }: Credential, result: LocallyVerified): string {
  const { verified: ok, checks, isKnown: known } = result;
  return `${JSON.stringify({ name, kind: 'credential', id, ok, checks, known })}\n`;
}

export function credentialText(name: string, { verified, checks, isKnown }: LocallyVerified): string {
  const lines = Object.entries(checks).map(([check, { result, reason = '' }]) =>
    `  ${check.padEnd(8)}  ${result.padEnd(7)}  ${reason}`.trimEnd(),
  );
  if (isKnown !== undefined) lines.push(`  the issuer is ${isKnown ? '' : 'not '}known to you`);
  return printable(`${name}: ${verified ? 'verified' : 'NOT VERIFIED'}\n${lines.join('\n')}\n`);
}
