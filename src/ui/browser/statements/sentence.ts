import type { TrustAnswer } from '../../../contract/integrity/trust.ts';
import { filled } from '../../../contract/words/kinds.ts';
import { harmless } from '../../../contract/words/text.ts';
import { trustMark } from '../../../contract/words/trust.ts';
import { element } from '../element.ts';
import { kindLabel, kindOf } from '../kinds.ts';
import { isIdentifier, type Names, nameOrId, thing } from './shown-text.ts';
import { type Json, objectIn } from './statements-api.ts';

/** Of a sentence: words, or the identifiers of things. */
type Part = string | readonly string[];

/** More things are only counted. */
const mostNamed = 3;

const claimed: TrustAnswer = { state: 'claimed' };

/** What a statement says, in one sentence. A credential only claims what nothing proves. */
export function sentence(
  statement: Json,
  id: string,
  names: Names,
  { withLinks = false, trust = claimed }: { withLinks?: boolean; trust?: TrustAnswer } = {},
): Node[] {
  const shown = withLinks ? thing : nameOrId;
  return partsOf(statement, id, names, trust).flatMap((part) => nodesOf(part, (one) => shown(one, names)));
}

/** What other sentences call a statement. */
export function calledBy(statement: Json, id: string, names: Names): string {
  const called = kindOf(typeOf(statement))?.called;
  const parts = partsOf(statement, id, names, claimed, called)
    .flatMap((part) => nodesOf(part, (one) => nameOrId(one, names)))
    .map(({ textContent }) => textContent);
  return called === undefined ? `“${parts.join('')}”` : parts.join('');
}

function nodesOf(part: Part, shown: (id: string) => Node): Node[] {
  return typeof part === 'string' ? [document.createTextNode(part)] : listed(part, shown);
}

/** Identifiers whose names the sentence of a statement needs. */
export function namedIn(statement: Json, id: string): string[] {
  const subject = idsIn(statement.computation);
  return [id, ...subject, ...partsOf(statement, id, new Map(), claimed).flatMap((part) => namedPart(part))];
}

function namedPart(part: Part): readonly string[] {
  return typeof part === 'string' ? [] : part.slice(0, mostNamed);
}

function partsOf(statement: Json, id: string, names: Names, trust: TrustAnswer, wording?: string): Part[] {
  const type = typeOf(statement);
  const kind = kindOf(type);
  if (!kind) return foreignParts(statement, type);
  const { type: relation } = statement;
  const isKnown = typeof relation === 'string' && Object.hasOwn(kind.readsByType, relation);
  const reads = (isKnown ? kind.readsByType[relation] : undefined) ?? kind.reads;
  const special: Readonly<Record<string, Part>> = isCredential(statement)
    ? credentialParts(statement, trust)
    : { doer: doerOf(statement, id, names) };
  return filled(wording ?? reads, (name) => special[name] ?? idsIn(statement[name]));
}

/** Who made the output of a computation: the statement or its program, if it has a name. */
function doerOf(statement: Json, id: string, names: Names): Part {
  const program = idsIn(statement.computation).filter((one) => names.has(one));
  const doer = names.has(id) ? [id] : program.slice(0, 1);
  return doer.length > 0 ? doer : 'A computation';
}

function credentialParts(statement: Json, trust: TrustAnswer): Readonly<Record<string, Part>> {
  const { by } = trust;
  const { subject, issuer } = credentialEnds(statement);
  const inEnvelope = subjectNames(statement.credentialDsse).map((name) => harmless(name));
  const isProved = by !== undefined && (issuer.length === 0 || issuer.includes(by));
  const signer = isProved ? (isIdentifier(by) ? [by] : harmless(by)) : 'somebody';
  const counts = trustMark(trust) === 'signed';
  return {
    issuer: issuer.length > 0 ? issuer : signer,
    signature: isProved ? (counts ? 'Signature' : 'Signature, not valid now,') : 'Claimed signature',
    subject: subject.length > 0 ? subject : inEnvelope.slice(0, mostNamed).join(', ') || 'something',
  };
}

export function isCredential(statement: Json): boolean {
  return typeOf(statement) === 'CredentialRegistration';
}

/** The subject and the issuer that a credential or its statement names. */
export function credentialEnds(statement: Json): { subject: string[]; issuer: string[] } {
  const credential = objectIn(statement.credential);
  const subjects = [credential.credentialSubject].flat().map((one) => objectIn(one).id);
  const { issuer } = credential;
  return {
    subject: idsIn([statement.subject, ...subjects].flat()),
    issuer: idsIn(typeof issuer === 'string' ? issuer : objectIn(issuer).id),
  };
}

function foreignParts(statement: Json, type: string): Part[] {
  const members = Object.entries(statement).filter(([name]) => !/^@|^(?:registeredBy|proof)$/.test(name));
  const about = members.flatMap(([, value]) => idsIn(value));
  return about.length === 0 ? [kindLabel(type)] : [kindLabel(type), ': ', about];
}

function listed(ids: readonly string[], shown: (id: string) => Node): Node[] {
  const rest = ids.length - mostNamed;
  const named = ids.slice(0, rest === 1 ? mostNamed + 1 : mostNamed).map(shown);
  const last = rest > 1 ? document.createTextNode(`${rest.toLocaleString('en')} more`) : named.pop();
  if (!last) return [document.createTextNode('nothing')];
  const before = named.flatMap((node, at) => (at === 0 ? [node] : [', ', node]));
  const joined = element('span', {}, ...before, ...(before.length > 0 ? [' and '] : []), last);
  return [joined];
}

export function idsIn(value: unknown): string[] {
  return [value].flat().filter(isIdentifier);
}

export function typeOf(statement: Json): string {
  return [statement['@type'] ?? statement.type].flat().map(String).join(', ');
}

/** The JSON that a DSSE envelope carries; undefined if it carries something else. */
export function payloadOf(envelope: unknown): Json | undefined {
  const { payload } = objectIn(envelope);
  try {
    const bytes = Uint8Array.from(atob(String(payload)), (one) => one.codePointAt(0) ?? 0);
    return objectIn(JSON.parse(new TextDecoder().decode(bytes)));
  } catch {
    return undefined;
  }
}

/** The names of the subjects of an in-toto statement in an envelope. */
function subjectNames(envelope: unknown): string[] {
  const subjects = [payloadOf(envelope)?.subject].flat().map((one) => objectIn(one).name);
  return subjects.filter((name) => typeof name === 'string');
}
