import { referenceIdentifier } from './identifiers.ts';
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
 * What a statement refers to (vocabulary, statement kinds), without duplicates, in the order of the text.
 * Values that are no well-formed identifiers are left out: real data has them.
 */
export function referencesOf(statement: Statement, kind: StatementKind | undefined): Reference[] {
  const found = new Map<string, Reference>();
  const add = (role: string, value: unknown) => {
    for (const item of Array.isArray(value) ? value : [value]) {
      const identifier = typeof item === 'string' ? referenceIdentifier(item) : undefined;
      if (identifier) found.set(`${role} ${identifier}`, { identifier, role });
    }
  };
  add('registeredBy', statement.registeredBy);
  if (kind === undefined) {
    addForeign(statement, add);
  } else {
    for (const field of referringFields[kind]) add(field, statement[field]);
    if (kind === 'CredentialRegistration') addCredential(statement, add);
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
  const { credential, credentialDsse } = statement;
  if (isObject(credential)) {
    add('credential', credential.id);
    for (const subject of many(credential.credentialSubject)) {
      add('credentialSubject', isObject(subject) ? subject.id : undefined);
    }
    addForeign(credential.evidence, add, 'evidence');
  }
  if (isObject(credentialDsse)) add('payload', dssePayload(credentialDsse.payload));
}

/** The decoded payload when it is a URN. Verifiers of DSSE accept both base64 alphabets. */
function dssePayload(payload: unknown): string | undefined {
  if (typeof payload !== 'string' || payload.length > 4_096) return undefined;
  const text = Buffer.from(payload, 'base64').toString('utf8').trim();
  return text.startsWith('urn:') ? text : undefined;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function many(value: unknown): unknown[] {
  return Array.isArray(value) ? value : [value];
}
