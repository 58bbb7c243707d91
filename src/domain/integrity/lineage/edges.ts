import { cidUrn } from '../identifiers/cid.ts';
import { operation, reference, registration } from '../kinds/kind.ts';
import { kindNamed, type StatementKind, statementKinds } from '../kinds/registry.ts';
import { type Place, placeNumber } from '../statements/places.ts';
import type { WantedPlace } from '../statements/questions.ts';
import type { ReferringStatement } from '../statements/rows.ts';

/** Ends are identifiers; a statement that links several things is a node itself, named by its id. */
export interface LineageEdge {
  readonly from: string;
  readonly to: string;
  /** The name of an edge kind. */
  readonly kind: string;
  /** The field of the statement that makes the edge. */
  readonly role: string;
  readonly statement: string;
  /** The `type` of an association. */
  readonly type?: string;
  readonly registeredBy?: string;
  /** False for statements whose contexts nobody has verified; they are asked for by their graph alone. */
  readonly isTrusted: boolean;
}

export type Flow = 'upstream' | 'downstream';

/** The ways in which a lineage can be asked for. */
export const directions = {
  upstream: ['upstream'],
  downstream: ['downstream'],
  both: ['upstream', 'downstream'],
} as const satisfies Record<string, readonly Flow[]>;
export type Direction = keyof typeof directions;

const kinds = Object.values(statementKinds);

function placesIn(rolesOf: (kind: (typeof kinds)[number]) => readonly string[]): Place[] {
  return kinds.flatMap((kind) => rolesOf(kind).map((role) => ({ role, kind: kind.name })));
}

/** Where a thing stands in the computations that lead on from it. */
export function flowPlaces(flow: Flow): Place[] {
  return placesIn(({ lineage }) => (lineage.flow ? [lineage.flow[flow]] : []));
}

/** Whether a lineage goes on through statements of this kind. */
export function isComputation(kind: string): boolean {
  return kindNamed(kind)?.lineage.flow !== undefined;
}

/** The role by which a flow comes to a computation. */
export function flowStart({ kind }: ReferringStatement, flow: Flow): string | undefined {
  return kindNamed(kind)?.lineage.flow?.[flow];
}

/** The role of the other ends of a computation. */
export function flowEnds(statement: ReferringStatement, flow: Flow): string {
  return flowStart(statement, flow === 'upstream' ? 'downstream' : 'upstream') ?? '';
}

/** Where a thing stands in statements that say something of it, without having a direction. */
export const factPlaces: readonly Place[] = placesIn(({ lineage }) => lineage.facts);

/** Where else it can stand: as an actor, a program or a machine. Often in very many statements. */
export const usePlaces: readonly Place[] = [
  ...placesIn(() => ['registeredBy']),
  ...placesIn(({ references, lineage: { facts, flow } }) =>
    references.filter(
      (role) => !facts.includes(role) && role !== flow?.upstream && role !== flow?.downstream,
    ),
  ),
];

/** The edges by which a statement, looked at from a thing that stands in it, links that thing to others. */
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
  return edgesOfNode(statement, kindNamed(statement.kind)?.lineage.attached ?? ['registeredBy']);
}

/** The edge between a statement, as a node, and what stands in one of its fields. */
export function nodeEdge(
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
  const { associationType, isTrusted, references } = statement;
  const registeredBy = references.find(({ role }) => role === 'registeredBy')?.identifier;
  return (kind: string, role: string, from: string, to: string): LineageEdge => ({
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

/** Places of these kinds alone, or of all, with so many statements from each. */
export function wantedPlaces(
  places: readonly Place[],
  kinds: readonly StatementKind[] | null,
  limit: number,
): WantedPlace[] {
  return places
    .filter(({ kind }) => kinds === null || (kinds as readonly string[]).includes(kind))
    .map((place) => ({ place: placeNumber(place), limit }));
}
