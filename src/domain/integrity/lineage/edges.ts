import { cidUrn } from '../identifiers/cid.ts';
import { operation, reference, registration } from '../kinds/kind.ts';
import { kindNamed, type StatementKind, statementKinds } from '../kinds/registry.ts';
import { registrantOf } from '../signatures/proven.ts';
import { placeNumber, type ReferencePlace } from '../statements/places.ts';
import type { WantedPlace } from '../statements/questions.ts';
import type { ReferringStatement } from '../statements/rows.ts';

/** The ends are identifiers. A statement that links several things is a node itself, identified by its id. */
export interface LineageEdge {
  readonly from: string;
  readonly to: string;
  readonly kind: string;
  /** The field of the statement that makes the edge. */
  readonly role: string;
  readonly statement: string;
  /** The path of a file in its folder. */
  readonly path?: string;
  /** The `type` of an association. */
  readonly type?: string;
  readonly registeredBy?: string;
  /** Of the statement, in milliseconds since 1970; null if it has no valid one. */
  readonly time: number | null;
  /** False for statements with unverified contexts, which only queries of their graph show. */
  readonly isTrusted: boolean;
}

export type Flow = 'upstream' | 'downstream';

/** The flows of each direction that a query can name. */
export const directions = {
  upstream: ['upstream'],
  downstream: ['downstream'],
  both: ['upstream', 'downstream'],
} as const satisfies Record<string, readonly Flow[]>;
export type Direction = keyof typeof directions;

const kinds = Object.values(statementKinds);

function placesIn(rolesOf: (kind: (typeof kinds)[number]) => readonly string[]): ReferencePlace[] {
  return kinds.flatMap((kind) => rolesOf(kind).map((role) => ({ role, kind: kind.name })));
}

/** The places of a thing in computations that continue a flow. */
export function flowPlaces(flow: Flow): ReferencePlace[] {
  return placesIn(({ lineage }) => (lineage.flow ? [lineage.flow[flow]] : []));
}

export function isComputation(kind: string): boolean {
  return kindNamed(kind)?.lineage.flow !== undefined;
}

/** The role through which a flow enters a computation. */
function flowStart({ kind }: ReferringStatement, flow: Flow): string | undefined {
  return kindNamed(kind)?.lineage.flow?.[flow];
}

/** The role through which a flow leaves a computation. */
export function flowEnds(statement: ReferringStatement, flow: Flow): string {
  return flowStart(statement, flow === 'upstream' ? 'downstream' : 'upstream') ?? '';
}

/** The places of a thing in statements about it. */
export const factPlaces: readonly ReferencePlace[] = placesIn(({ lineage }) => lineage.facts);

/** The places of a thing as an actor, program or machine. There can be very many such statements. */
export const usePlaces: readonly ReferencePlace[] = [
  ...placesIn(() => ['registeredBy']),
  ...placesIn(({ references, lineage: { facts, flow } }) =>
    references.filter(
      (role) => !facts.includes(role) && role !== flow?.upstream && role !== flow?.downstream,
    ),
  ),
];

/** The edges between a thing and the other things in a statement. */
export function* edgesAt(statement: ReferringStatement, at: string, role: string): Generator<LineageEdge> {
  const { ends, edge: of } = kindNamed(statement.kind)?.lineage ?? {};
  const others = ends && role === ends.from ? ends.to : ends && role === ends.to ? ends.from : undefined;
  if (!of || !ends || others === undefined || !stands(statement, others)) {
    yield nodeEdge(statement, at, role);
    if (!ends) yield* attachedEdges(statement);
    return;
  }
  const edge = edgeMaker(statement);
  for (const other of endsOf(statement, others)) {
    const [from, to] = role === ends.from ? [at, other] : [other, at];
    yield edge(of.name, ends.to, from, to);
  }
}

/** All edges of a statement as a node, or only those of some roles. */
export function* edgesOfNode(
  statement: ReferringStatement,
  roles?: readonly string[],
): Generator<LineageEdge> {
  const edge = edgeMaker(statement);
  for (const { identifier, role } of statement.references)
    if (roles === undefined || roles.includes(role)) yield nodeEdge(statement, identifier, role, edge);
}

/** The edges that are shown wherever the statement is a node. */
export function attachedEdges(statement: ReferringStatement): Generator<LineageEdge> {
  return edgesOfNode(statement, kindNamed(statement.kind)?.lineage.attached ?? ['registeredBy']);
}

/** The edge between a statement, as a node, and a thing in one of its fields. */
function nodeEdge(
  statement: ReferringStatement,
  end: string,
  role: string,
  edge = edgeMaker(statement),
): LineageEdge {
  const rule = kindNamed(statement.kind)?.lineage;
  const id = statementNode(statement);
  if (role === 'registeredBy') return edge(registration.name, role, end, id);
  const { name } = role === 'operatedBy' && rule ? operation : (rule?.edge ?? reference);
  return rule && !rule.isOutward(role) ? edge(name, role, end, id) : edge(name, role, id, end);
}

function edgeMaker(statement: ReferringStatement) {
  const { associationType, time, isTrusted } = statement;
  const registeredBy = registrantOf(statement);
  return (kind: string, role: string, from: string, to: string): LineageEdge => ({
    from,
    to,
    kind,
    role,
    statement: statementNode(statement),
    ...(associationType !== null && { type: associationType }),
    ...(registeredBy !== undefined && { registeredBy }),
    time,
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

/** The places of some kinds (null: all), with a limit for each. */
export function wantedPlaces(
  places: readonly ReferencePlace[],
  kinds: readonly StatementKind[] | null,
  limit: number,
): WantedPlace[] {
  return places
    .filter(({ kind }) => kinds === null || (kinds as readonly string[]).includes(kind))
    .map((place) => ({ place: placeNumber(place), limit }));
}

/** The edges of a computation that lead from a node on: the one into it, those to its far ends, and what belongs to it. */
export function* computationEdges(
  statement: ReferringStatement,
  id: string,
  flow: Flow,
): Generator<LineageEdge> {
  yield edgeInto(statement, id, flow);
  yield* edgesOfNode(statement, [flowEnds(statement, flow)]);
  yield* attachedEdges(statement);
}

export function edgeInto(statement: ReferringStatement, id: string, flow: Flow): LineageEdge {
  return nodeEdge(statement, id, flowStart(statement, flow) ?? '');
}

/** The flow in which a reference with this role leads into the statement. */
export function flowOf(
  flows: readonly Flow[],
  role: string,
  statement: ReferringStatement,
): Flow | undefined {
  return flows.find((flow) => flowStart(statement, flow) === role);
}
