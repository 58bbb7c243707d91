import type { StatementKind } from '../kinds/registry.ts';

export interface ReferencePlace {
  readonly role: string;
  readonly kind: string;
}

/** Stores keep the numbers of these places, so only append lines. */
const table: readonly (readonly [role: string, ...kinds: StatementKind[]])[] = [
  ['association', 'AssociationRegistration'],
  ['computation', 'ComputationRegistration'],
  ['credential', 'CredentialRegistration'],
  ['credentialSubject', 'CredentialRegistration'],
  ['data', 'DataRegistration', 'StorageRegistration'],
  ['did', 'DidRegistration'],
  ['document', 'GovernanceRegistration'],
  ['entity', 'EntityRegistration'],
  ['evidence', 'CredentialRegistration'],
  ['executedOn', 'ComputationRegistration'],
  ['input', 'ComputationRegistration'],
  ['metadata', 'MetadataRegistration'],
  ['operatedBy', 'ComputationRegistration', 'StorageRegistration'],
  ['output', 'ComputationRegistration'],
  ['payload', 'AssociationRegistration', 'ComputationRegistration', 'CredentialRegistration'],
  ['payload', 'DataRegistration', 'DidRegistration', 'EntityRegistration', 'GovernanceRegistration'],
  ['payload', 'MetadataRegistration', 'StorageRegistration'],
  ['registeredBy', 'AssociationRegistration', 'ComputationRegistration', 'CredentialRegistration'],
  ['registeredBy', 'DataRegistration', 'DidRegistration', 'EntityRegistration', 'GovernanceRegistration'],
  ['registeredBy', 'MetadataRegistration', 'StorageRegistration'],
  ['storedOn', 'StorageRegistration'],
  ['subject', 'AssociationRegistration', 'CredentialRegistration'],
  ['subject', 'GovernanceRegistration', 'MetadataRegistration'],
  ['subject', 'RetractionRegistration'],
  ['registeredBy', 'RetractionRegistration'],
  ['payload', 'RetractionRegistration'],
];

/** Numbers start at 1. */
export const statementPlaces: readonly ReferencePlace[] = table.flatMap(([role, ...kinds]) =>
  kinds.map((kind) => ({ role, kind })),
);

/** The number of all other places, such as those of foreign kinds. */
export const otherPlaces = 0;

/** By kind and role. */
const numbers = new Map<string, Map<string, number>>();
for (const [at, { role, kind }] of statementPlaces.entries())
  numbers.getOrInsertComputed(kind, () => new Map()).set(role, at + 1);

export function placeNumber({ role, kind }: ReferencePlace): number {
  return numbers.get(kind)?.get(role) ?? otherPlaces;
}

/** The numbers of all places. */
export const allPlaces: readonly number[] = [...statementPlaces.map(placeNumber), otherPlaces];
