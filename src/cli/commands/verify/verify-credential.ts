import { checkAnswer, sentenceOf } from '../../../contract/sentences.ts';
import { ServiceError } from '../../../domain/errors.ts';
import { credentialsV1, credentialsV2 } from '../../../domain/integrity/contexts/credentials.ts';
import type { Credential } from '../../../domain/integrity/credentials/credential-records.ts';
import { listOf } from '../../../domain/integrity/credentials/credential-shape.ts';
import { listStatusCheck } from '../../../domain/integrity/credentials/list-status.ts';
import {
  issuerOf,
  type VerifiedCredential,
  verifyCredential,
} from '../../../domain/integrity/credentials/verify-credential.ts';
import type { Check } from '../../../domain/integrity/proofs/reasons.ts';
import { isObject } from '../../../domain/json/is-object.ts';
import { parseStrictJson } from '../../../domain/json/strict-json.ts';
import { pathKind } from '../../client/local-files.ts';
import type { LocalIdentifier } from '../../client/local-identifier.ts';
import { failUsage } from '../../terminal/failure.ts';
import { printable } from '../../terminal/output.ts';
import { readUpTo, statementLimit } from './file-form.ts';
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
  const { verified: ok, isKnown: known } = result;
  const all = Object.entries(result.checks).map(([name, check]) => [name, checkJson(check)]);
  const checks = Object.fromEntries(all);
  return `${JSON.stringify({ name, kind: 'credential', id, ok, checks, known })}\n`;
}

/** With the code of the reason. */
export function checkJson(check: Check) {
  return { ...checkAnswer(check), code: check.reason?.code };
}

export function credentialText(name: string, { verified, checks, isKnown }: LocallyVerified): string {
  const lines = Object.entries(checks).map(([name, { result, reason }]) =>
    `  ${name.padEnd(8)}  ${result.padEnd(7)}  ${reason ? sentenceOf(reason) : ''}`.trimEnd(),
  );
  if (isKnown !== undefined) lines.push(`  the issuer is ${isKnown ? '' : 'not '}known to you`);
  return printable(`${name}: ${verified ? 'verified' : 'NOT VERIFIED'}\n${lines.join('\n')}\n`);
}

const maxDepth = 256;

/** The credential in a file; undefined if the file holds anything else. */
export async function credentialIn(path: string): Promise<Credential | undefined> {
  const bytes = await readUpTo(path, statementLimit);
  // Most files are no JSON, and need not be parsed.
  if (!bytes || !Buffer.from(bytes.subarray(0, 100)).toString().trimStart().startsWith('{')) return undefined;
  try {
    const value = parseStrictJson(bytes, { maxDepth, exactNumbers: true });
    return isCredential(value) ? value : undefined;
  } catch (error) {
    if (error instanceof ServiceError) return undefined;
    throw error;
  }
}

function isCredential(value: unknown): value is Credential {
  if (!isObject(value)) return false;
  const contexts = listOf(value['@context']);
  const isKnown = contexts.includes(credentialsV1) || contexts.includes(credentialsV2);
  return isKnown && listOf(value.type).includes('VerifiableCredential');
}
