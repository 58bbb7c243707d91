import { ServiceError } from '../../errors.ts';
import { isObject, type JsonObject } from '../../json/is-object.ts';
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

/** A list that counts, or why it does not. */
type OpenedList = { readonly bits: Bitstring } | { readonly refused: Check };

const unsignedInteger = /^(?:0|[1-9]\d{0,15})$/;
const codes: Readonly<Record<string, NonNullable<Check['code']>>> = {
  revocation: 'revoked',
  suspension: 'suspended',
};

/** Checks an entry against signed lists (Bitstring Status List 1.0, section 3.2). Each list is opened once. */
export function listStatusCheck(ports: ListStatusPorts) {
  const opened = new Map<Credential, Promise<OpenedList>>();
  return async (entry: JsonObject, credential: Credential): Promise<Check> => {
    const { type, statusPurpose, statusListCredential: url, statusListIndex: index, statusSize = 1 } = entry;
    const code = codes[String(statusPurpose)];
    if (type !== 'BitstringStatusListEntry' || code === undefined || statusSize !== 1)
      return unknown(
        `A status entry is a ${String(type)} for ${String(statusPurpose)}. Only a BitstringStatusListEntry of one bit for revocation or suspension can be checked.`,
      );
    const checks: Check[] = [];
    for (const list of ports.lists.filter(({ id }) => id === url)) {
      const found =
        foreignList(ports, list, credential) ??
        (await opened.getOrInsertComputed(list, () => openList(ports, list)));
      if ('refused' in found)
        checks.push({
          ...found.refused,
          reason: `The status list ${String(url)} is refused. ${found.refused.reason}`,
        });
      else checks.push(bitCheck(list, found.bits, { statusPurpose, index, code }));
    }
    return (
      checks.find((check) => check.code !== undefined) ??
      checks.find(({ result }) => result === 'ok') ??
      checks[0] ??
      unknown(`The status list ${String(url)} is not among the given ones.`)
    );
  };
}

function foreignList({ listIssuers }: ListStatusPorts, list: Credential, credential: Credential) {
  const issuer = issuerOf(list);
  if (issuer === issuerOf(credential) || listIssuers.includes(String(issuer))) return undefined;
  const reason = `Its issuer is ${issuer}, but the issuer of the credential is ${issuerOf(credential)}.`;
  return { refused: failed(reason) };
}

async function openList(ports: ListStatusPorts, list: Credential): Promise<OpenedList> {
  if (!listOf(list.type).includes('BitstringStatusListCredential'))
    return { refused: failed('It is not a BitstringStatusListCredential.') };
  const proof = await verifyCredentialProof(ports, list);
  const checks = [proof, issuerCheck(ports, list, proof), dateCheck(list, ports.now())];
  const refused = checks.find(({ result }) => result !== 'ok');
  if (refused) return { refused };
  const { credentialSubject: subject } = list;
  if (!isObject(subject) || subject.type !== 'BitstringStatusList' || typeof subject.encodedList !== 'string')
    return { refused: failed('It has no BitstringStatusList with an encodedList.') };
  try {
    return { bits: await Bitstring.decode(subject.encodedList) };
  } catch (error) {
    if (error instanceof ServiceError && error.code === 'invalid_request')
      return { refused: failed(error.message) };
    throw error;
  }
}

function bitCheck(
  { credentialSubject: subject }: Credential,
  bits: Bitstring,
  {
    statusPurpose,
    index,
    code,
  }: { statusPurpose: unknown; index: unknown; code: NonNullable<Check['code']> },
): Check {
  if (!isObject(subject) || !listOf(subject.statusPurpose).includes(statusPurpose))
    return failed(`The purpose of the status list is not ${String(statusPurpose)}.`);
  if (typeof index !== 'string' || !unsignedInteger.test(index))
    return failed('statusListIndex must be a whole number as a text.');
  if (Number(index) >= bits.length)
    return failed(`The index ${index} is outside the list, which has ${bits.length} entries.`);
  return bits.get(Number(index)) ? { ...failed(`The credential is ${code}.`), code } : { result: 'ok' };
}
