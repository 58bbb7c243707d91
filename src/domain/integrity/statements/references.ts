import { termsIri } from '../contexts/own.ts';
import { referenceIdentifier } from '../identifiers/identifiers.ts';
import type { StatementKind } from './statement-kinds.ts';

/** That a statement refers to something: a CID, UUID or DID, and the field in which it stands. */
export interface Reference {
  /** `urn:cid:…`, `urn:uuid:…` or a DID. */
  readonly identifier: string;
  /** The field's name, as the statement kinds name it; for foreign kinds the JSON member's name. */
  readonly role: string;
}

type Statement = Readonly<Record<string, unknown>>;

/** Fields whose values are references, by kind. Credentials are looked into, see below. */
const referringFields: Record<StatementKind, readonly string[]> = {
  AssociationRegistration: ['subject', 'association'],
  StorageRegistration: ['data', 'storedOn', 'operatedBy'],
  MetadataRegistration: ['subject', 'metadata'],
  ComputationRegistration: ['computation', 'input', 'output', 'operatedBy', 'executedOn'],
  CredentialRegistration: ['subject'],
  DidRegistration: ['did'],
  DataRegistration: ['data'],
  EntityRegistration: ['entity'],
  GovernanceRegistration: ['subject', 'document'],
};

/**
 * Whether the RDF of a statement says what a JSON value says, as a value of the role's own term where it has one.
 * Members that the context drops, or gives another meaning, make no references: otherwise JSON that carries a
 * genuine id could add edges to it.
 */
export type InRdf = (value: string, role?: string) => boolean;

/** The test for `referencesOf`, on a statement's N-Quads. */
export function inRdf(nquads: string): InRdf {
  return (value, role) => {
    const before = role === undefined ? ' ' : ` <${termsIri}${role}> `;
    return nquads.includes(`${before}<${value}> `) || nquads.includes(`${before}"${value}"`);
  };
}

/**
 * What a statement refers to (vocabulary, statement kinds), without duplicates, in the order of the text.
 * Values that are no well-formed identifiers are left out: real data has them.
 */
export function referencesOf(
  statement: Statement,
  kind: StatementKind | undefined,
  isInRdf: InRdf,
): Reference[] {
  const found = new Map<string, Reference>();
  const addIf = (isMeant: (item: string) => boolean, role: string, value: unknown) => {
    for (const item of many(value)) {
      if (typeof item !== 'string') continue;
      const identifier = referenceIdentifier(item);
      if (identifier && isMeant(item)) found.set(`${role} ${identifier}`, { identifier, role });
    }
  };
  const addField = (field: string) => addIf((item) => isInRdf(item, field), field, statement[field]);
  const add: Add = (role, value) => addIf((item) => isInRdf(item), role, value);
  if (kind === undefined) {
    add('registeredBy', statement.registeredBy);
    addForeign(statement, add);
  } else {
    for (const field of ['registeredBy', ...referringFields[kind]]) addField(field);
    if (kind === 'CredentialRegistration') addCredential(statement, add);
    addIf(() => true, 'payload', dssePayload(statement.credentialDsse, isInRdf));
  }
  return [...found.values()];
}

type Add = (role: string, value: unknown) => void;

/** A foreign kind's edges are its `urn:cid:` values, wherever they stand. */
function addForeign(value: unknown, add: Add, role = ''): void {
  if (typeof value === 'string') {
    if (value.startsWith('urn:cid:')) add(role, value);
  } else if (Array.isArray(value)) {
    for (const item of value) addForeign(item, add, role);
  } else if (typeof value === 'object' && value !== null) {
    for (const [key, member] of Object.entries(value)) {
      const isOwnId = key === '@id' && role === '';
      if (key !== '@context' && !isOwnId) addForeign(member, add, key);
    }
  }
}

function addCredential(statement: Statement, add: Add): void {
  const { credential } = statement;
  if (!isObject(credential)) return;
  add('credential', credential.id);
  for (const subject of many(credential.credentialSubject)) {
    add('credentialSubject', isObject(subject) ? subject.id : undefined);
  }
  addForeign(credential.evidence, (_member, value) => add('evidence', value), 'evidence');
}

/** The decoded payload of a DSSE envelope when it is a URN. Verifiers accept both base64 alphabets. */
function dssePayload(envelope: unknown, isInRdf: InRdf): string | undefined {
  const payload = isObject(envelope) ? envelope.payload : undefined;
  if (typeof payload !== 'string' || payload.length > 4_096 || !isInRdf(payload, 'payload')) return undefined;
  const text = Buffer.from(payload, 'base64').toString('utf8').trim();
  return text.startsWith('urn:') ? text : undefined;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function many(value: unknown): unknown[] {
  return Array.isArray(value) ? value : [value];
}
