import { cidUrn } from '../identifiers/cid.ts';
import type { Place } from '../statements/places.ts';
import type { ReferringStatement } from '../statements/rows.ts';
import { isStatementKind, type StatementKind, statementKinds } from '../statements/statement-kinds.ts';

/** What an edge says about its two ends. docs/lineage.md documents each. */
export const edgeKinds = [
  'computation',
  'association',
  'storage',
  'metadata',
  'governance',
  'credential',
  'registration',
  'operation',
  'reference',
] as const;
export type EdgeKind = (typeof edgeKinds)[number];

/** Ends are identifiers; a statement that links several things is a node itself, named by its id. */
export interface LineageEdge {
  readonly from: string;
  readonly to: string;
  readonly kind: EdgeKind;
  /** The field of the statement that makes the edge. */
  readonly role: string;
  readonly statement: string;
  /** The `type` of an association. */
  readonly type?: string;
  readonly registeredBy?: string;
  /** False for statements whose contexts nobody has verified; they are asked for by their graph alone. */
  readonly isTrusted: boolean;
}

/** Kinds that say one thing of another: their edge runs from the one field to the other. */
const direct: Partial<Record<string, { kind: EdgeKind; from: string; to: string }>> = {
  AssociationRegistration: { kind: 'association', from: 'subject', to: 'association' },
  StorageRegistration: { kind: 'storage', from: 'data', to: 'storedOn' },
  MetadataRegistration: { kind: 'metadata', from: 'subject', to: 'metadata' },
  GovernanceRegistration: { kind: 'governance', from: 'subject', to: 'document' },
  DataRegistration: { kind: 'registration', from: 'registeredBy', to: 'data' },
  EntityRegistration: { kind: 'registration', from: 'registeredBy', to: 'entity' },
  DidRegistration: { kind: 'registration', from: 'registeredBy', to: 'did' },
};

/** Kinds that are nodes, with the fields that are shown wherever such a node is. */
const attached: Partial<Record<string, readonly string[]>> = {
  ComputationRegistration: ['computation', 'executedOn', 'operatedBy', 'registeredBy'],
  CredentialRegistration: ['credential', 'registeredBy'],
};

const computationRole = { upstream: 'output', downstream: 'input' } as const;
export type Flow = keyof typeof computationRole;

/** The ways in which a lineage can be asked for. */
export const directions = {
  upstream: ['upstream'],
  downstream: ['downstream'],
  both: ['upstream', 'downstream'],
} as const satisfies Record<string, readonly Flow[]>;
export type Direction = keyof typeof directions;

/** Where a thing stands in the computations that lead on from it. */
export function flowPlace(flow: Flow): Place {
  return { role: computationRole[flow], kind: 'ComputationRegistration' };
}

/** The other ends of a computation. */
export function flowEnds(flow: Flow): string {
  return computationRole[flow === 'upstream' ? 'downstream' : 'upstream'];
}

/** Where a thing stands in statements that say something of it, without having a direction. */
export const factPlaces: readonly Place[] = [
  ...Object.entries(direct).flatMap(([kind, ends]) =>
    ends
      ? [ends.from, ends.to].filter((role) => role !== 'registeredBy').map((role) => ({ role, kind }))
      : [],
  ),
  ...['subject', 'credentialSubject', 'payload', 'evidence', 'credential'].map((role) => ({
    role,
    kind: 'CredentialRegistration',
  })),
];

/** Where else it can stand: as an actor, a program or a machine. Often in very many statements. */
export const usePlaces: readonly Place[] = [
  ...Object.keys(statementKinds).map((kind) => ({ role: 'registeredBy', kind })),
  { role: 'operatedBy', kind: 'StorageRegistration' },
  ...['computation', 'executedOn', 'operatedBy'].map((role) => ({ role, kind: 'ComputationRegistration' })),
];

/** The edges by which a statement, looked at from a thing that stands in it, links that thing to others. */
export function* edgesAt(statement: ReferringStatement, at: string, role: string): Generator<LineageEdge> {
  const ends = direct[statement.kind];
  const others = ends && role === ends.from ? ends.to : ends && role === ends.to ? ends.from : undefined;
  if (!ends || others === undefined || !stands(statement, others)) {
    yield nodeEdge(statement, at, role);
    if (!ends) yield* attachedEdges(statement);
    return;
  }
  const edge = edgeMaker(statement);
  for (const other of endsOf(statement, others)) {
    const [from, to] = role === ends.from ? [at, other] : [other, at];
    yield edge(ends.kind, ends.to, from, to);
  }
}

/** Every edge of a statement that is looked at itself; of some roles alone where they are given. */
export function* edgesOfNode(
  statement: ReferringStatement,
  roles?: readonly string[],
): Generator<LineageEdge> {
  const edge = edgeMaker(statement);
  for (const { identifier, role } of statement.references)
    if (roles === undefined || roles.includes(role)) yield nodeEdge(statement, identifier, role, edge);
}

/** Those that are shown wherever the statement is a node. */
export function attachedEdges(statement: ReferringStatement): Generator<LineageEdge> {
  return edgesOfNode(statement, attached[statement.kind] ?? ['registeredBy']);
}

/** The edge between a statement, as a node, and what stands in one of its fields. */
export function nodeEdge(
  statement: ReferringStatement,
  end: string,
  role: string,
  edge = edgeMaker(statement),
): LineageEdge {
  const kind = nodeEdgeKind(statement.kind, role);
  const id = statementNode(statement);
  return isOutward(statement.kind, role) ? edge(kind, role, id, end) : edge(kind, role, end, id);
}

function nodeEdgeKind(kind: string, role: string): EdgeKind {
  if (role === 'registeredBy') return 'registration';
  if (role === 'operatedBy' && isStatementKind(kind)) return 'operation';
  if (kind === 'ComputationRegistration') return 'computation';
  if (kind === 'CredentialRegistration') return 'credential';
  return direct[kind]?.kind ?? 'reference';
}

/** Whether the edge runs from the statement: what it makes, names or speaks of; otherwise what goes into it. */
function isOutward(kind: string, role: string): boolean {
  if (role === 'registeredBy') return false;
  if (kind === 'ComputationRegistration') return role === 'output';
  if (kind === 'CredentialRegistration') return role === 'credential';
  return role !== 'operatedBy' || !isStatementKind(kind);
}

function edgeMaker(statement: ReferringStatement) {
  const { associationType, isTrusted, references } = statement;
  const registeredBy = references.find(({ role }) => role === 'registeredBy')?.identifier;
  return (kind: EdgeKind, role: string, from: string, to: string): LineageEdge => ({
    from,
    to,
    kind,
    role,
    statement: statementNode(statement),
    ...(associationType !== null && { type: associationType }),
    ...(registeredBy !== undefined && { registeredBy }),
    isTrusted,
  });
}

export function* endsOf({ references }: ReferringStatement, role: string): Generator<string> {
  for (const reference of references) if (reference.role === role) yield reference.identifier;
}

function stands({ references }: ReferringStatement, role: string): boolean {
  return references.some((reference) => reference.role === role);
}

export function statementNode({ rdfcCid }: Pick<ReferringStatement, 'rdfcCid'>): string {
  return cidUrn(rdfcCid);
}

/** Places of these kinds alone, or of all. */
export function placesOf(places: readonly Place[], kinds: readonly StatementKind[] | null): Place[] {
  return places.filter(({ kind }) => kinds === null || (kinds as readonly string[]).includes(kind));
}
