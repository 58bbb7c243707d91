import type { Credential } from '../../../domain/integrity/credentials/credential-records.ts';
import { listStatusCheck } from '../../../domain/integrity/credentials/list-status.ts';
import {
  type VerifiedCredential,
  verifyCredential,
} from '../../../domain/integrity/credentials/verify-credential.ts';
import { pathKind } from '../../client/local-files.ts';
import type { LocalIdentifier } from '../../client/local-identifier.ts';
import { failUsage } from '../../terminal/failure.ts';
import { printable } from '../../terminal/printable.ts';
import { credentialIn } from './credential-file.ts';

export interface StatusOptions {
  /** Files with status list credentials. */
  readonly statusList: readonly string[];
  /** DIDs whose status lists count, beside the issuer of the credential. */
  readonly statusIssuer: readonly string[];
}

/** Verifies a credential without a service. */
export async function verifyLocally(
  credential: Credential,
  identifier: LocalIdentifier,
  { statusList, statusIssuer }: StatusOptions,
): Promise<VerifiedCredential> {
  const lists = await Promise.all(statusList.map(listIn));
  const ports = { identifier, ownKeys: [], now: () => new Date() };
  const statusCheck = listStatusCheck({ ...ports, lists, listIssuers: statusIssuer });
  return await verifyCredential({ ...ports, statusCheck }, credential);
}

export async function listIn(path: string): Promise<Credential> {
  if ((await pathKind(path)) !== 'file') failUsage(`The status list ${path} is not a file that exists.`);
  const list = await credentialIn(path);
  return list ?? failUsage(`${path} is not a status list: a credential as JSON.`);
}

export function credentialJson(name: string, { id }: Credential, result: VerifiedCredential): string {
  const { verified: ok, checks } = result;
  return `${JSON.stringify({ name, kind: 'credential', id, ok, checks })}\n`;
}

export function credentialText(name: string, { verified, checks }: VerifiedCredential): string {
  const lines = Object.entries(checks).map(([check, { result, reason = '' }]) =>
    `  ${check.padEnd(8)}  ${result.padEnd(7)}  ${reason}`.trimEnd(),
  );
  return printable(`${name}: ${verified ? 'verified' : 'NOT VERIFIED'}\n${lines.join('\n')}\n`);
}
