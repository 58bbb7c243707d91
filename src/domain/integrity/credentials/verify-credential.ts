import { isObject, type JsonObject } from '../../json/is-object.ts';
import { clockSkewMs } from '../identifiers/timestamp.ts';
import type { ProofCheck, VerifyPorts } from '../proofs/verify-proof.ts';
import type { Credential } from './credential-records.ts';
import { listOf, malformedDates, validity } from './credential-shape.ts';
import { verifyCredentialProof } from './signed-claims.ts';

export interface Check {
  /** `unknown`: it cannot be checked here. */
  readonly result: 'ok' | 'failed' | 'unknown';
  /** How the issuer has withdrawn the credential. */
  readonly code?: 'revoked' | 'suspended';
  /** A sentence, unless the result is `ok`. */
  readonly reason?: string;
}

export interface CredentialChecks {
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

function checkOf({ result, reason }: ProofCheck): Check {
  return { result, ...(reason !== undefined && { reason }) };
}

export function dateCheck(credential: Credential, now: Date): Check {
  const [malformed] = malformedDates(credential);
  if (malformed !== undefined) return failed(`${malformed} is not a date and time with a time zone.`);
  const { from, until } = validity(credential);
  if (from !== undefined && until !== undefined && until < from)
    return failed('The credential ends before it begins.');
  if (from !== undefined && now.getTime() + clockSkewMs < from)
    return failed(`The credential is not valid before ${new Date(from).toISOString()}.`);
  if (until !== undefined && now.getTime() > until)
    return failed(`The credential expired at ${new Date(until).toISOString()}.`);
  return ok;
}

/** All entries have to be good. A credential without entries cannot be revoked. */
async function statusCheck(ports: CredentialVerification, credential: Credential): Promise<Check> {
  const checks = await entryChecks(ports, credential);
  return (
    checks.find(({ result }) => result === 'failed') ??
    checks.find(({ result }) => result === 'unknown') ??
    ok
  );
}

/** The check of each entry of `credentialStatus`. */
export async function entryChecks(
  ports: Pick<CredentialVerification, 'statusCheck'>,
  credential: Credential,
): Promise<Check[]> {
  const entries = listOf(credential.credentialStatus);
  if (entries.length > mostEntries)
    return [unknown(`credentialStatus has ${entries.length} entries. At most ${mostEntries} are checked.`)];
  const checks: Check[] = [];
  for (const entry of entries)
    checks.push(
      isObject(entry)
        ? await ports.statusCheck(entry, credential)
        : failed('credentialStatus must be an object or a list of objects.'),
    );
  return checks;
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
  if (issuer === undefined) return failed('The credential names no issuer.');
  if (signers.length > 1)
    return failed(`Several keys signed: ${signers.join(', ')}. Only the issuer may sign.`);
  if (signer === null || result === 'unknown')
    return unknown(`Nobody knows whether a key of ${issuer} signed, because the proof cannot be checked.`);
  const isOwn = issuer === ownDidWeb && ownKeys.some(({ did }) => did === signer);
  if (issuer !== signer && !isOwn) return failed(`${signer} signed, but the issuer is ${issuer}.`);
  return result === 'ok' ? ok : unknown(`The proof names the key of ${issuer}, but it does not hold.`);
}

export function failed(reason: string): Check {
  return { result: 'failed', reason };
}

export function unknown(reason: string): Check {
  return { result: 'unknown', reason };
}
