import { ServiceError } from '../../errors.ts';
import { isObject } from '../../json/is-object.ts';
import type { VerifyPorts } from '../proofs/verify-proof.ts';
import { Bitstring } from './bitstring.ts';
import type { Credential } from './credential-records.ts';
import { listOf } from './credential-shape.ts';
import { verifyCredentialProof } from './signed-claims.ts';
import { type Check, dateCheck, failed, issuerCheck, issuerOf, unknown } from './verify-credential.ts';

export interface ListStatusPorts extends VerifyPorts {
  /** Status list credentials. */
  readonly lists: readonly Credential[];
  /** Issuers whose lists count beside those of the credential's own issuer. */
  readonly listIssuers: readonly string[];
  readonly now: () => Date;
}

const unsignedInteger = /^(?:0|[1-9]\d{0,15})$/;
const words: Readonly<Record<string, string>> = { revocation: 'revoked', suspension: 'suspended' };

/** Checks an entry against signed lists (Bitstring Status List 1.0, section 3.2). */
export function listStatusCheck(ports: ListStatusPorts) {
  return async (entry: Readonly<Record<string, unknown>>, credential: Credential): Promise<Check> => {
    const { type, statusPurpose, statusListCredential: url, statusListIndex: index, statusSize = 1 } = entry;
    const word = words[String(statusPurpose)];
    if (type !== 'BitstringStatusListEntry' || word === undefined || statusSize !== 1)
      return unknown(
        `A status entry is a ${String(type)} for ${String(statusPurpose)}. Only a BitstringStatusListEntry of one bit for revocation or suspension can be checked.`,
      );
    const list = ports.lists.find(({ id }) => id === url);
    if (!list) return unknown(`The status list ${String(url)} is not among the given ones.`);
    const refused = await listProblem(ports, list, credential);
    if (refused)
      return { ...refused, reason: `The status list ${String(url)} is refused. ${refused.reason}` };
    if (typeof index !== 'string' || !unsignedInteger.test(index))
      return failed('statusListIndex must be a whole number as a text.');
    return await bitCheck(list, { statusPurpose, index: Number(index), word });
  };
}

/** Why a list does not count for a credential. */
async function listProblem(
  ports: ListStatusPorts,
  list: Credential,
  credential: Credential,
): Promise<Check | undefined> {
  const issuer = issuerOf(list);
  if (!listOf(list.type).includes('BitstringStatusListCredential'))
    return failed('It is not a BitstringStatusListCredential.');
  if (issuer !== issuerOf(credential) && !ports.listIssuers.includes(String(issuer)))
    return failed(`Its issuer is ${issuer}, but the issuer of the credential is ${issuerOf(credential)}.`);
  const proof = await verifyCredentialProof(ports, list);
  const checks = [proof, issuerCheck(ports, list, proof), dateCheck(list, ports.now())];
  return checks.find(({ result }) => result !== 'ok');
}

async function bitCheck(
  { credentialSubject: subject }: Credential,
  { statusPurpose, index, word }: { statusPurpose: unknown; index: number; word: string },
): Promise<Check> {
  if (!isObject(subject) || subject.type !== 'BitstringStatusList' || typeof subject.encodedList !== 'string')
    return failed('The status list has no BitstringStatusList with an encodedList.');
  if (!listOf(subject.statusPurpose).includes(statusPurpose))
    return failed(`The purpose of the status list is not ${String(statusPurpose)}.`);
  try {
    const bits = await Bitstring.decode(subject.encodedList);
    return bits.get(index) ? failed(`The credential is ${word}.`) : { result: 'ok' };
  } catch (error) {
    if (error instanceof ServiceError && error.code === 'invalid_request') return failed(error.message);
    throw error;
  }
}
