import pMap from 'p-map';
import type { LineageAnswer, LineageEdgeAnswer } from '../../../contract/integrity/lineage.ts';
import type { TrustAnswer } from '../../../contract/integrity/trust.ts';
import { counted } from '../../../contract/words/text.ts';
import { trustMark } from '../../../contract/words/trust.ts';
import { containment, operation, registration } from '../../../domain/integrity/kinds/kind.ts';
import { kindNamed } from '../../../domain/integrity/kinds/registry.ts';
import type { Flow } from '../../../domain/integrity/lineage/edges.ts';
import type { ApiClient } from '../../client/api-client.ts';
import { askNameInside, askNames } from '../../client/names.ts';
import { shownIdentifier } from '../../terminal/identifier.ts';

export function endsOf({ from, to }: LineageEdgeAnswer): string[] {
  return from === to ? [from] : [from, to];
}

export function edgesByEnd(edges: readonly LineageEdgeAnswer[]): Map<string, LineageEdgeAnswer[]> {
  const ends = edges.flatMap((edge) => endsOf(edge).map((end) => ({ end, edge })));
  const groups = Map.groupBy(ends, ({ end }) => end);
  return new Map([...groups].map(([end, all]) => [end, all.map(({ edge }) => edge)]));
}

export function isStep({ kind, role }: LineageEdgeAnswer): boolean {
  return (kind === 'computation' && (role === 'input' || role === 'output')) || kind === containment.name;
}

/** The other end of a step from a node; undefined if the edge is none in this flow. Folders and files lead to each other. */
export function stepEnd(edge: LineageEdgeAnswer, id: string, flow: Flow): string | undefined {
  if (!isStep(edge)) return undefined;
  if (edge.kind === containment.name) return edge.from === id ? edge.to : edge.from;
  const [here, there] = flow === 'upstream' ? (['to', 'from'] as const) : (['from', 'to'] as const);
  return edge[here] === id ? edge[there] : undefined;
}

/** Kinds of edges that run from an actor to what it did. */
const deeds = [registration, operation];

/** The relation of the node `id` to the node `at`. A role names one end of its edge. */
export function relation(edge: LineageEdgeAnswer, at: string, id: string): string {
  const { from, to, kind, role, type, statement } = edge;
  const deed = deeds.find(({ name }) => name === kind)?.meaning;
  if (deed !== undefined) return id === from ? `${deed} by` : deed;
  if (kind === containment.name) return id === from ? `part of (as ${edge.path})` : 'contains';
  const word = type === undefined ? role : `${role} (${type})`;
  const isNamed = statement === at || (statement !== id && id === to);
  return isNamed ? word : `${word} of`;
}

/** Who registered an edge and in which statement, unless the node `id` or the node `at` above it says that already. */
export function vouching(edge: LineageEdgeAnswer, at: string | undefined, id: string): string[] {
  const { statement, registered_by: by, unverified, trust } = edge;
  const words = [
    by === undefined || by === at || by === id ? undefined : `registered by ${by}`,
    statement === id ? undefined : `in ${statement}`,
    unverified && '(unverified)',
    statement === id ? undefined : trustNote(trust),
  ];
  const line = words.filter(Boolean).join(' ');
  return line === '' ? [] : [line];
}

/** What stands behind a statement, in parentheses. */
export function trustNote(trust: TrustAnswer): string {
  const { state, by, by_registrant: isRegistrant } = trust;
  const signer = by === undefined || isRegistrant ? '' : ` by ${by}`;
  return `(${state}${signer}${trustMark(trust) === 'invalid' ? ', not valid now' : ''})`;
}

const programsAsked = 30;
const askedAtOnce = 4;
/** The start of the identifier of a JSON document (RFC 8785). */
const jsonDocument = 'urn:cid:baga6yaq6';

/** How the nodes of a lineage are named for people. */
export class Titles {
  readonly #nodes: ReadonlyMap<string, LineageAnswer['nodes'][number]>;
  readonly #names: Map<string, string>;

  constructor({ nodes }: LineageAnswer, more: ReadonlyMap<string, string> = new Map()) {
    this.#nodes = new Map(nodes.map((node) => [node.id, node]));
    this.#names = new Map(more);
    for (const { id, name } of nodes) if (name !== undefined) this.#names.set(id, name);
  }

  /** The name with the short identifier. */
  shown(id: string): string {
    return shownIdentifier(id, this.#names.get(id));
  }

  /** A node with what it is and its mark, if somebody signed it. */
  of(id: string): string {
    const { type, trust, failed } = this.#nodes.get(id) ?? {};
    const label = type === undefined ? undefined : (kindNamed(type)?.label ?? type);
    const isMarked = trust && trust.state !== 'claimed';
    const mark = isMarked && trustNote({ ...trust, by: trust.by && this.shown(trust.by) });
    return [label, this.shown(id), failed && '(failed)', mark].filter(Boolean).join(' ');
  }
}

/** Asks for the names that the lineage does not have: of registrants, and of programs that name themselves. */
export async function titlesOf(client: ApiClient, answer: LineageAnswer): Promise<Titles> {
  const nodes = new Map(answer.nodes.map((node) => [node.id, node]));
  const registrants = answer.edges.flatMap(({ registered_by: by }) => by ?? []);
  const others = registrants.filter((id) => !nodes.has(id));
  const names = await askNames(client, others);
  const runs = answer.edges.filter(({ role }) => role === 'computation').map(({ from }) => from);
  const unnamed = runs.filter((id) => id.startsWith(jsonDocument) && nodes.get(id)?.name === undefined);
  const ask = async (id: string) => {
    const name = await askNameInside(client, id);
    if (name !== undefined) names.set(id, name);
  };
  await pMap([...new Set(unnamed)].slice(0, programsAsked), ask, { concurrency: askedAtOnce });
  for (const { from, to, role } of answer.edges) {
    const name = role === 'computation' ? (nodes.get(from)?.name ?? names.get(from)) : undefined;
    if (name !== undefined) names.set(to, name);
  }
  return new Titles(answer, names);
}

const registrantsNamed = 3;

/** What a lineage says, in a few lines. */
export function lineageSummary(answer: LineageAnswer, titles: Titles, flows: readonly Flow[]): string[] {
  const { id, nodes, retracted = 0 } = answer;
  const [start] = nodes;
  const isCut = nodes.some(({ hidden_edges }) => hidden_edges !== undefined);
  return [
    titles.of(id),
    `  ${start?.type ?? start?.kind ?? 'artefact'} ${id}`,
    ...(start?.kind === 'actor' ? [] : flows.map((flow) => `  ${reach(answer, flow)}`)),
    ...folderLines(answer, titles),
    `  ${statements(answer)}`,
    ...registrants(answer, titles),
    ...(retracted > 0
      ? [`  Left out: ${counted(retracted, 'retracted computation')}. --include-retracted shows them.`]
      : []),
    ...(isCut ? ['  This is a part. --depth and --limit show more.'] : []),
  ];
}

function reach({ id, nodes, edges }: LineageAnswer, flow: Flow): string {
  const steps = edgesByEnd(edges.filter(isStep));
  const passed = new Set([id]);
  const reached = new Set<string>();
  for (const at of passed)
    for (const edge of steps.get(at) ?? []) {
      const end = stepEnd(edge, at, flow);
      if (end === undefined) continue;
      passed.add(end);
      // A folder is not made from its files, nor they from it.
      if (edge.kind !== containment.name) reached.add(end);
    }
  reached.delete(id);
  const computations = nodes.filter(({ id: one, kind }) => kind === 'statement' && reached.has(one));
  const failed = computations.filter((one) => one.failed).length;
  const things = counted(reached.size - computations.length, 'thing');
  const by = `${counted(computations.length, 'computation')}${failed > 0 ? ` (${failed} failed)` : ''}`;
  if (reached.size === 0)
    return flow === 'upstream' ? 'made from nothing known' : 'nothing known was made from it';
  return flow === 'upstream' ? `made from ${things} by ${by}` : `used by ${by}, which made ${things}`;
}

/** In which folders the start is, by whom they were made, and how many files it has itself. */
function folderLines({ id, nodes, edges }: LineageAnswer, titles: Titles): string[] {
  const { files } = nodes.find((node) => node.id === id) ?? {};
  const inside = edges.filter(({ kind, to }) => kind === containment.name && to === id);
  const makers = (folder: string) =>
    edges.filter(({ role, to }) => role === 'output' && to === folder).map(({ from }) => titles.shown(from));
  return [
    ...inside.map(({ from, path }) => {
      const [maker] = makers(from);
      const place = `${titles.shown(from)}, where it is ${path}`;
      return maker === undefined ? `  part of ${place}` : `  made as part of ${place}, by ${maker}`;
    }),
    ...(files === undefined
      ? []
      : [`  a folder of ${counted(files, 'file')}; those with statements of their own are shown`]),
  ];
}

function statements({ edges }: LineageAnswer): string {
  const trusts = new Map(edges.map(({ statement, trust }) => [statement, trustMark(trust)]));
  const groups = Map.groupBy(trusts.values(), (mark) => mark);
  const marks = (['signed', 'invalid', 'revoked', 'retracted', 'claimed'] as const).flatMap((mark) => {
    const count = groups.get(mark)?.length ?? 0;
    return count > 0 ? `${count} ${mark === 'invalid' ? 'signed, not valid now' : mark}` : [];
  });
  return `${counted(trusts.size, 'statement')}${marks.length > 0 ? `: ${marks.join('; ')}` : ''}`;
}

function registrants({ edges }: LineageAnswer, titles: Titles): string[] {
  const of = new Map(edges.map(({ statement, registered_by: by }) => [statement, by]));
  const all = [...of.values()].filter((by) => by !== undefined);
  const groups = Map.groupBy(all, (by) => by);
  const sorted = [...groups].toSorted(([, one], [, other]) => other.length - one.length);
  const named = sorted
    .slice(0, registrantsNamed)
    .map(([by, { length }]) => `  registered by ${titles.shown(by)}: ${length}`);
  const others = sorted.length - named.length;
  return others > 0 ? [...named, `  and by ${counted(others, 'other')}`] : named;
}
