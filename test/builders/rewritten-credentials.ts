import { bundledContexts } from '../../src/domain/integrity/contexts/bundled.ts';
import { governanceContextUrl } from '../../src/domain/integrity/contexts/own.ts';
import { contextV2 } from './credentials.ts';

type Json = Readonly<Record<string, unknown>>;

/** A signed credential whose context is one object, so that its names can be changed. */
export interface Rewritable {
  readonly context: Json;
  readonly body: Json;
}

export type Rewriting = (document: Rewritable) => Rewritable;

const cred = 'https://www.w3.org/2018/credentials#';
export const trueSubject = 'urn:cid:bafkr4ieiecm62u77db4btzk2qvezzoh57stjcvvwctfbhkps2aiybc52zu';
export const falseSubject = 'urn:cid:bafkr4ibqpbbrebyyitoknlgaqbllv4yh3dgma7feaxtqaigyx3rdjgktay';

const definitionsOf = (url: string): Json => JSON.parse(bundledContexts.get(url)?.() ?? '')['@context'];

/** Anybody may copy the definitions of a context, without their protection. */
function unprotected(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(unprotected);
  if (typeof value !== 'object' || value === null) return value;
  const members = Object.entries(value).filter(([name]) => name !== '@protected');
  return Object.fromEntries(members.map(([name, member]) => [name, unprotected(member)]));
}

/** The same signed credential with a copy of its contexts. Terms of types are terms of the whole document. */
export function rewritable(signed: Json): Rewritable {
  const { '@context': _, ...body } = signed;
  const v2 = unprotected(definitionsOf(contextV2)) as Readonly<Record<string, { '@context': Json } & Json>>;
  const scoped = ['VerifiableCredential', 'BitstringStatusListEntry', 'BitstringStatusList'];
  const hoisted = scoped.map((type) => v2[type]?.['@context']);
  const plain = scoped.map((type) => [type, v2[type]?.['@id']]);
  const governance = unprotected(definitionsOf(governanceContextUrl));
  return {
    body,
    context: Object.assign({}, v2, Object.fromEntries(plain), ...hoisted, governance),
  };
}

export function written({ context, body }: Rewritable): Json {
  return { '@context': context, ...body };
}

const without = (object: Json, ...names: string[]): Json =>
  Object.fromEntries(Object.entries(object).filter(([name]) => !names.includes(name)));
const only = (object: Json, ...names: string[]): Json =>
  Object.fromEntries(Object.entries(object).filter(([name]) => names.includes(name)));
const subjectOf = (body: Json) => (body.credentialSubject ?? {}) as Json;
const defined = (context: Json, name: string) => context[name] ?? null;

/** Gives the meaning of a member to another name. */
const renamed =
  (name: string, decoy?: unknown): Rewriting =>
  ({ context, body }) => ({
    context: {
      ...context,
      [`${name}2`]: defined(context, name),
      ...(decoy !== undefined && { [name]: '@index' }),
    },
    body: {
      ...without(body, name),
      [`${name}2`]: body[name],
      ...(decoy !== undefined && { [name]: decoy }),
    },
  });

const swapped =
  (one: string, other: string): Rewriting =>
  ({ context, body }) => ({
    context: { ...context, [one]: defined(context, other), [other]: defined(context, one) },
    body: { ...body, [one]: body[other], [other]: body[one] },
  });

const inSubject =
  (change: (subject: Json) => Json): Rewriting =>
  ({ context, body }) => ({ context, body: { ...body, credentialSubject: change(subjectOf(body)) } });

const as =
  (name: string, change: (value: unknown) => unknown, other = name): Rewriting =>
  ({ context, body }) => ({ context, body: { ...without(body, name), [other]: change(body[name]) } });

const dateTime = 'http://www.w3.org/2001/XMLSchema#dateTime';
const typed = (value: unknown) => ({ '@type': dateTime, '@value': value });
const hidden = { id: falseSubject };

/** Ways to write a credential with the same RDF so that its names say something else. */
export const rewritings: Readonly<Record<string, Rewriting>> = {
  'a subject under another name': renamed('credentialSubject'),
  'a status under another name': renamed('credentialStatus'),
  'an end under another name': renamed('validUntil'),
  'a later end beside the hidden one': renamed('validUntil', '2999-01-01T00:00:00Z'),
  'another id beside the hidden one': renamed('id', 'urn:uuid:58172aac-d8ba-41ed-83dd-0b3aef56cc33'),
  'types under another name': renamed('type'),
  'begin and end swapped': swapped('validFrom', 'validUntil'),
  'issuer and subject swapped': swapped('issuer', 'credentialSubject'),
  'another id of the subject in a nested context': inSubject((subject) => ({
    ...subject,
    '@context': { id: '@index', sid: '@id' },
    id: falseSubject,
    sid: subject.id,
  })),
  'another role in a nested context': inSubject((subject) => ({
    ...subject,
    '@context': { role: '@index', role2: 'https://eqtylab.io/terms/role' },
    role: 'owner',
    role2: subject.role,
  })),
  'another id in the context of a property': ({ context, body }) => ({
    context: {
      ...context,
      credentialSubject: {
        '@id': `${cred}credentialSubject`,
        '@type': '@id',
        '@context': { id: '@index', sid: '@id' },
      },
    },
    body: { ...body, credentialSubject: { ...subjectOf(body), ...hidden, sid: subjectOf(body).id } },
  }),
  'an end in the context of a type': ({ context, body }) => ({
    context: {
      ...context,
      VerifiableCredential: {
        '@id': `${cred}VerifiableCredential`,
        '@context': {
          validUntil: '@index',
          end: { '@id': `${cred}validUntil`, '@type': dateTime },
        },
      },
    },
    body: { ...body, validUntil: '2999-01-01T00:00:00Z', end: body.validUntil },
  }),
  'an end in @nest': ({ context, body }) => ({
    context,
    body: { ...without(body, 'validUntil'), '@nest': only(body, 'validUntil') },
  }),
  'a status in @nest': ({ context, body }) => ({
    context,
    body: { ...without(body, 'credentialStatus'), '@nest': only(body, 'credentialStatus') },
  }),
  'a status in an alias of @nest': ({ context, body }) => ({
    context: { ...context, more: '@nest' },
    body: { ...without(body, 'credentialStatus'), more: only(body, 'credentialStatus') },
  }),
  'a status in @included': ({ context, body }) => ({
    context,
    body: {
      ...without(body, 'credentialStatus'),
      '@included': [only(body, 'id', 'credentialStatus')],
    },
  }),
  'a subject in an alias of @included, and another index': ({ context, body }) => ({
    context: { ...context, also: '@included', credentialSubject: '@index' },
    body: {
      ...body,
      credentialSubject: falseSubject,
      also: [{ id: body.id, [`${cred}credentialSubject`]: subjectOf(body) }],
    },
  }),
  'everything in @graph': ({ context, body }) => ({
    context,
    body: { '@graph': [without(body, 'proof')], proof: body.proof },
  }),
  'the credential as the reverse of its subject': ({ context, body }) => ({
    context,
    body: {
      ...subjectOf(body),
      proof: body.proof,
      '@reverse': { [`${cred}credentialSubject`]: without(body, 'proof', 'credentialSubject') },
    },
  }),
  'the subject by a reverse member': ({ context, body }) => ({
    context: { ...context, subjectOf: { '@reverse': `${cred}credentialSubject` }, also: '@included' },
    body: {
      ...without(body, 'credentialSubject'),
      also: [{ ...subjectOf(body), subjectOf: body.id === undefined ? {} : { id: body.id } }],
    },
  }),
  'a map of subjects': ({ context, body }) => ({
    context: {
      ...context,
      credentialSubject: {
        '@id': `${cred}credentialSubject`,
        '@type': '@id',
        '@container': '@index',
      },
    },
    body: { ...body, credentialSubject: { id: subjectOf(body) } },
  }),
  'a map of subjects by id': ({ context, body }) => ({
    context: {
      ...context,
      credentialSubject: { '@id': `${cred}credentialSubject`, '@container': '@id' },
    },
    body: {
      ...body,
      credentialSubject: { [String(subjectOf(body).id)]: without(subjectOf(body), 'id') },
    },
  }),
  '@id and @type': ({ context, body }) => ({
    context,
    body: { ...without(body, 'id', 'type'), '@id': body.id, '@type': body.type },
  }),
  'an IRI as the name of the end': as('validUntil', typed, `${cred}validUntil`),
  'an IRI as the name of the status': as('credentialStatus', (value) => value, `${cred}credentialStatus`),
  'a prefixed name': ({ context, body }) => ({
    context: { ...context, cred },
    body: { ...without(body, 'validUntil'), 'cred:validUntil': typed(body.validUntil) },
  }),
  'a vocabulary for the names': ({ context, body }) => ({
    context: { ...without(context, 'credentialStatus'), '@vocab': `${cred.slice(0, -1)}` },
    body: { ...without(body, 'credentialStatus'), '#credentialStatus': body.credentialStatus },
  }),
  'an end in a list': as('validUntil', (value) => [value]),
  'an end as a value object': as('validUntil', typed),
  'an end in @set': as('validUntil', (value) => ({ '@set': [value] })),
  'an issuer in a list': as('issuer', (value) => [value]),
  'a subject in @set': as('credentialSubject', (value) => ({ '@set': [value] })),
  'a status in lists': as('credentialStatus', (value) => [[value]]),
};

/**
 * A signed membership, turned round so that the text of its role is read as the subject of a credential: the member is
 * the outer object, and the credential is what refers to it.
 */
export function roleAsSubject(membership: Json, subject = String(subjectOf(membership).role)): Json {
  const { context, body } = rewritable(membership);
  const { id, ...member } = subjectOf(body);
  return {
    '@context': {
      ...context,
      self: '@id',
      says: `${cred}issuer`,
      issuer: '@index',
      credentialSubject: {
        '@id': 'https://eqtylab.io/terms/role',
        '@context': { id: '@value' },
      },
      statedIn: { '@reverse': `${cred}credentialSubject` },
    },
    self: id,
    ...without(member, 'role'),
    issuer: body.issuer,
    credentialSubject: { id: subject },
    statedIn: { ...without(body, 'proof', 'credentialSubject', 'issuer'), says: { id: body.issuer } },
    proof: body.proof,
  };
}

/** A signed membership, so that the texts of its role are read as a status list, in which nothing is revoked. */
export function roleAsStatusList(membership: Json): Json {
  const { context, body } = rewritable(membership);
  const { id, project, role } = subjectOf(body);
  const [statusPurpose, encodedList] = role as readonly string[];
  const iri = 'https://eqtylab.io/terms/role';
  return {
    '@context': {
      ...context,
      BitstringStatusListCredential: context.ProjectMembershipCredential,
      member: context.credentialSubject,
      credentialSubject: '@included',
    },
    ...without(body, 'type'),
    type: ['VerifiableCredential', 'BitstringStatusListCredential'],
    member: { id, project },
    credentialSubject: {
      '@context': { type: '@index', encodedList: iri, statusPurpose: iri },
      id,
      type: 'BitstringStatusList',
      statusPurpose,
      encodedList,
    },
  };
}
