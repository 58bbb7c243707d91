import type { TrustAnswer } from '../../../contract/integrity/trust.ts';
import { harmless } from '../../../contract/words/text.ts';
import { element } from '../element.ts';
import { subjectNames } from './dsse.ts';
import { kindLabel, kindOf } from './kinds.ts';
import { isIdentifier, type Names, nameOrId, thing } from './shown-text.ts';
import { type Json, objectIn } from './statements-api.ts';

/** Of a sentence: words, or the identifiers of things. */
type Part = string | readonly string[];

/** More things are only counted. */
const mostNamed = 3;

const associationVerbs: Readonly<Record<string, string>> = {
  certifies: 'certifies',
  includes: 'includes',
  isInstanceOf: 'is an instance of',
};

const claimed: TrustAnswer = { state: 'claimed' };

/** What a statement says, in one sentence. A credential only claims what nothing proves. */
export function sentence(
  statement: Json,
  id: string,
  names: Names,
  { withLinks = false, trust = claimed }: { withLinks?: boolean; trust?: TrustAnswer } = {},
): Node[] {
  const shown = withLinks ? thing : nameOrId;
  return partsOf(statement, id, names, trust).flatMap((part) =>
    typeof part === 'string' ? [document.createTextNode(part)] : listed(part, (one) => shown(one, names)),
  );
}

/** Identifiers whose names the sentence of a statement needs. */
export function namedIn(statement: Json, id: string): string[] {
  const subject = idsIn(statement.computation);
  return [id, ...subject, ...partsOf(statement, id, new Map(), claimed).flatMap((part) => namedPart(part))];
}

function namedPart(part: Part): readonly string[] {
  return typeof part === 'string' ? [] : part.slice(0, mostNamed);
}

function partsOf(statement: Json, id: string, names: Names, trust: TrustAnswer): Part[] {
  const type = typeOf(statement);
  const kind = kindOf(type);
  if (type === 'ComputationRegistration') return computationParts(statement, id, names);
  if (isCredential(statement)) return credentialParts(statement, trust);
  if (!kind?.ends) return foreignParts(statement, type);
  const { from, to } = kind.ends;
  const verb = associationVerbs[String(statement.type)] ?? kind.verb;
  // Metadata has the name of what it describes.
  const object = type === 'MetadataRegistration' ? 'its metadata' : idsIn(statement[to]);
  return [idsIn(statement[from]), ` ${verb} `, object];
}

function computationParts(statement: Json, id: string, names: Names): Part[] {
  const program = idsIn(statement.computation).filter((one) => names.has(one));
  const doer = names.has(id) ? [id] : program.slice(0, 1);
  const [made, from] = [idsIn(statement.output), idsIn(statement.input)];
  return [doer.length > 0 ? doer : 'A computation', ' made ', made, ' from ', from];
}

function credentialParts(statement: Json, { state, by, valid }: TrustAnswer): Part[] {
  const { subject, issuer } = credentialEnds(statement);
  const inEnvelope = subjectNames(statement.credentialDsse).map((name) => harmless(name));
  const about = subject.length > 0 ? subject : inEnvelope.slice(0, mostNamed).join(', ') || 'something';
  const isProved = by !== undefined && (issuer.length === 0 || issuer.includes(by));
  const counts = state === 'signed' && valid;
  const verb = counts ? 'vouches for' : 'does not vouch now for';
  const signer = isProved ? (isIdentifier(by) ? [by] : harmless(by)) : 'A credential';
  return [issuer.length > 0 ? issuer : signer, ` ${isProved ? verb : 'claims to vouch for'} `, about];
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
