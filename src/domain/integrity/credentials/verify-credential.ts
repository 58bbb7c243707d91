import { isObject, type JsonObject } from '../../json/is-object.ts';
import { clockSkewMs } from '../identifiers/timestamp.ts';
import type { BadCheck, Check, Reason } from '../proofs/reasons.ts';
import type { ProofCheck, VerifyPorts } from '../proofs/verify-proof.ts';
import type { Credential } from './credential-records.ts';
import { listOf, malformedDates, validity } from './credential-shape.ts';
import { verifyCredentialProof } from './signed-claims.ts';

interface CredentialChecks {
  readonly proof: Check;
  readonly dates: Check;
  readonly status: Check;
  readonly issuer: Check;
}

export interface VerifiedCredential {
  /** Whether every check is `ok`. */
  readonly verified: boolean;
  readonly checks: CredentialChecks;
}

export interface CredentialVerification extends VerifyPorts {
  /** Checks one entry of `credentialStatus`. */
  readonly statusCheck: (entry: JsonObject, credential: Credential) => Promise<Check>;
  readonly now: () => Date;
}

const ok: Check = { result: 'ok' };
const mostEntries = 20;

/** @throws ServiceError only if the service fails. */
export async function verifyCredential(
  ports: CredentialVerification,
  credential: Credential,
): Promise<VerifiedCredential> {
  const proof = await verifyCredentialProof(ports, credential);
  const checks: CredentialChecks = {
    proof: checkOf(proof),
    dates: dateCheck(credential, ports.now()),
    status: await statusCheck(ports, credential),
    issuer: issuerCheck(ports, credential, proof),
  };
  return { verified: Object.values(checks).every(({ result }) => result === 'ok'), checks };
}

export function checkOf({ result, reason = { code: 'signature_fails' } }: ProofCheck): Check {
  return result === 'ok' ? ok : { result, reason };
}

/** Whether dates are times that can be read. What cannot be read would never end. */
export function writtenDatesCheck(credential: Credential): Check {
  const [malformed] = malformedDates(credential);
  return malformed === undefined ? ok : failed({ code: 'malformed_date', member: malformed });
}

export function dateCheck(credential: Credential, now: Date): Check {
  const written = writtenDatesCheck(credential);
  if (written.result !== 'ok') return written;
  const { from, until } = validity(credential);
  if (from !== undefined && until !== undefined && until < from) return failed({ code: 'ends_before_begin' });
  if (from !== undefined && now.getTime() + clockSkewMs < from)
    return failed({ code: 'not_yet_valid', from: new Date(from).toISOString() });
  if (until !== undefined && now.getTime() > until)
    return failed({ code: 'expired', at: new Date(until).toISOString() });
  return ok;
}

/** All entries have to be good. A credential without entries cannot be revoked. */
async function statusCheck(ports: CredentialVerification, credential: Credential): Promise<Check> {
  const checks = await entryChecks(ports, credential);
  const of = (wanted: Check['result']) => checks.find(({ result }) => result === wanted);
  return of('failed') ?? of('unknown') ?? ok;
}

/** The check of each entry of `credentialStatus`. */
export async function entryChecks(
  ports: Pick<CredentialVerification, 'statusCheck'>,
  credential: Credential,
): Promise<Check[]> {
  const entries = listOf(credential.credentialStatus);
  if (entries.length > mostEntries)
    return [unknown({ code: 'too_many_entries', count: entries.length, most: mostEntries })];
  return await Array.fromAsync(entries, (entry) =>
    isObject(entry) ? ports.statusCheck(entry, credential) : failed({ code: 'entry_not_object' }),
  );
}

export function issuerOf({ issuer }: Credential): string | undefined {
  const id = isObject(issuer) ? issuer.id : issuer;
  return typeof id === 'string' ? id : undefined;
}

/** Whether the key that signed belongs to the issuer. */
export function issuerCheck(
  { ownKeys, ownDidWeb }: Pick<VerifyPorts, 'ownKeys' | 'ownDidWeb'>,
  credential: Credential,
  { result, signer, signers }: Pick<ProofCheck, 'result' | 'signer' | 'signers'>,
): Check {
  const issuer = issuerOf(credential);
  if (issuer === undefined) return failed({ code: 'no_issuer' });
  if (signers.length > 1) return failed({ code: 'several_signers', signers });
  if (signer === null || result === 'unknown') return unknown({ code: 'issuer_unproven', issuer });
  const isOwn = issuer === ownDidWeb && ownKeys.some(({ did }) => did === signer);
  if (issuer !== signer && !isOwn) return failed({ code: 'other_issuer', signer, issuer });
  return result === 'ok' ? ok : unknown({ code: 'issuer_proof_fails', issuer });
}

export function failed(reason: Reason): BadCheck {
  return { result: 'failed', reason };
}

export function unknown(reason: Reason): BadCheck {
  return { result: 'unknown', reason };
}
