import type { CredentialVerificationAnswer } from '../../../contract/integrity/credentials.ts';
import { harmless } from '../../../contract/words/text.ts';
import { resultTones } from '../../../contract/words/trust.ts';
import { askJson } from '../api.ts';
import { badge } from '../badge.ts';
import { element, section, terms } from '../element.ts';
import { localTime } from '../times.ts';
import { facts, shownValue } from './members.ts';
import { credentialEnds, payloadOf } from './sentence.ts';
import type { Names } from './shown-text.ts';
import { type Json, objectIn } from './statements-api.ts';

const checkNames = [
  ['proof', 'Signature'],
  ['dates', 'Dates'],
  ['status', 'Status'],
  ['issuer', 'Issuer'],
] as const;

/** The credential in a statement: who issued it, what it claims, and whether it stands now. */
export async function credentialSection(statement: Json, names: Names): Promise<HTMLElement[]> {
  if (statement.credential !== undefined) return [await verifiableCredential(statement, names)];
  if (statement.credentialDsse !== undefined) return [envelope(objectIn(statement.credentialDsse), names)];
  if (statement.sigstoreBundle === undefined) return [];
  const words =
    'A Sigstore bundle: a signature over the subject, a certificate that names the signer, and a proof of when it was made.';
  return [section('The credential', element('p', {}, words))];
}

async function verifiableCredential(statement: Json, names: Names): Promise<HTMLElement> {
  const credential = objectIn(statement.credential);
  const types = [credential.type].flat().filter((one) => one !== 'VerifiableCredential');
  const from = credential.validFrom ?? credential.issuanceDate;
  const until = credential.validUntil ?? credential.expirationDate;
  const rows: (readonly [string, unknown])[] = [
    ['Type', types.length > 0 ? types.map(String).join(', ') : undefined],
    ['Issued by', credentialEnds(statement).issuer[0] ?? credential.issuer],
    ['Valid from', from === undefined ? undefined : localTime(String(from))],
    ['Valid until', until === undefined ? undefined : localTime(String(until))],
    ['Credential id', credential.id],
    ['Claims', credential.credentialSubject],
    ['Evidence', credential.evidence],
  ];
  const given = rows.filter(([, value]) => value !== undefined);
  const list = terms(
    given.map(([term, value]) => [term, shownValue(value, names)]),
    { class: 'members' },
  );
  return section('The credential', element('div', {}, await checks(credential), list));
}

/** Asks the service to check the credential now. */
async function checks(credential: Json): Promise<HTMLElement> {
  const headers = { 'content-type': 'application/json' };
  const init = { method: 'POST', headers, body: JSON.stringify({ credential }) };
  const asked = askJson<CredentialVerificationAnswer>('/credentials/v1/verify', init);
  const answer = await asked.catch(() => undefined);
  if (answer === undefined) return element('p', {}, 'The service cannot check it now.');
  const items = checkNames.map(([name, label]) => {
    const { result, reason } = answer.checks[name];
    const words = reason === undefined ? '' : ` ${harmless(reason, 500)}`;
    return element('li', {}, badge(resultTones[result], `${label}: ${result}`), words);
  });
  return element('ul', { class: 'checks' }, ...items);
}

function envelope(signed: Json, names: Names): HTMLElement {
  const count = [signed.signatures].flat().length;
  const content = payloadOf(signed);
  const type = harmless(String(signed.payloadType));
  const kind = `A DSSE envelope of ${type} with ${count} signature${count === 1 ? '' : 's'}.`;
  const words = element('p', {}, content === undefined ? `${kind} It carries no JSON.` : `${kind} It says:`);
  const says = content && facts(content, names);
  return section('The credential', element('div', { class: 'card' }, words, says));
}
