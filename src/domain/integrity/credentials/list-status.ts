import { ServiceError } from '../../errors.ts';
import { isObject, type JsonObject } from '../../json/is-object.ts';
import type { BadCheck, Check } from '../proofs/reasons.ts';
import type { VerifyPorts } from '../proofs/verify-proof.ts';
import { Bitstring } from './bitstring.ts';
import type { Credential } from './credential-records.ts';
import { listOf } from './credential-shape.ts';
import { verifyCredentialProof } from './signed-claims.ts';
import { checkOf, dateCheck, failed, issuerCheck, issuerOf, unknown } from './verify-credential.ts';

export interface ListStatusPorts extends VerifyPorts {
  /** Status list credentials. */
  readonly lists: readonly Credential[];
  /** Issuers whose lists count beside those of the credential's own issuer. */
  readonly listIssuers: readonly string[];
  readonly now: () => Date;
}

/** A list that counts, or why it does not. */
type OpenedList = { readonly bits: Bitstring } | { readonly refused: BadCheck };

const unsignedInteger = /^(?:0|[1-9]\d{0,15})$/;
const codes: Readonly<Record<string, 'revoked' | 'suspended'>> = {
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
      return unknown({ code: 'unsupported_entry', type: String(type), purpose: String(statusPurpose) });
    const checks: Check[] = [];
    for (const list of ports.lists.filter(({ id }) => id === url)) {
      const found =
        foreignList(ports, list, credential) ??
        (await opened.getOrInsertComputed(list, () => openList(ports, list)));
      if ('bits' in found) checks.push(bitCheck(list, found.bits, { statusPurpose, index, code }));
      else {
        const { result, reason } = found.refused;
        checks.push({ result, reason: { code: 'list_refused', url: String(url), reason } });
      }
    }
    return (
      checks.find(({ reason }) => reason?.code === 'revoked' || reason?.code === 'suspended') ??
      checks.find(({ result }) => result === 'ok') ??
      checks[0] ??
      unknown({ code: 'list_not_given', url: String(url) })
    );
  };
}

function foreignList({ listIssuers }: ListStatusPorts, list: Credential, credential: Credential) {
  const issuer = issuerOf(list);
  if (issuer === issuerOf(credential) || listIssuers.includes(String(issuer))) return undefined;
  const wanted = String(issuerOf(credential));
  return { refused: failed({ code: 'list_of_other_issuer', issuer: String(issuer), wanted }) };
}

async function openList(ports: ListStatusPorts, list: Credential): Promise<OpenedList> {
  if (!listOf(list.type).includes('BitstringStatusListCredential'))
    return { refused: failed({ code: 'not_a_list' }) };
  const proof = await verifyCredentialProof(ports, list);
  const checks = [checkOf(proof), issuerCheck(ports, list, proof), dateCheck(list, ports.now())];
  const refused = checks.find((check) => check.result !== 'ok');
  if (refused) return { refused };
  const { credentialSubject: subject } = list;
  if (!isObject(subject) || subject.type !== 'BitstringStatusList' || typeof subject.encodedList !== 'string')
    return { refused: failed({ code: 'no_bits' }) };
  try {
    return { bits: await Bitstring.decode(subject.encodedList) };
  } catch (error) {
    if (error instanceof ServiceError && error.code === 'invalid_request')
      return { refused: failed({ code: 'malformed_bits', message: error.message }) };
    throw error;
  }
}

function bitCheck(
  { credentialSubject: subject }: Credential,
  bits: Bitstring,
  { statusPurpose, index, code }: { statusPurpose: unknown; index: unknown; code: 'revoked' | 'suspended' },
): Check {
  if (!isObject(subject) || !listOf(subject.statusPurpose).includes(statusPurpose))
    return failed({ code: 'wrong_list_purpose', purpose: String(statusPurpose) });
  if (typeof index !== 'string' || !unsignedInteger.test(index)) return failed({ code: 'malformed_index' });
  if (Number(index) >= bits.length) return failed({ code: 'index_outside', index, length: bits.length });
  return bits.get(Number(index)) ? failed({ code }) : { result: 'ok' };
}
