import pMap from 'p-map';
import type { LineageAnswer } from '../../../contract/integrity/lineage.ts';
import { kindNamed } from '../../../domain/integrity/kinds/registry.ts';
import type { ApiClient } from '../../client/api-client.ts';
import { askNameInside, askNames } from '../../client/names.ts';
import { shownIdentifier } from '../../terminal/identifier.ts';
import { trustNote } from './lineage-words.ts';

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
    const { type, trust } = this.#nodes.get(id) ?? {};
    const label = type === undefined ? undefined : (kindNamed(type)?.label ?? type);
    const mark =
      trust && trust.state !== 'claimed'
        ? trustNote({ ...trust, by: trust.by && this.shown(trust.by) })
        : undefined;
    return [label, this.shown(id), mark].filter(Boolean).join(' ');
  }
}

/** Asks for the names that the lineage does not have: of registrants, and of programs that name themselves. */
export async function titlesOf(client: ApiClient, answer: LineageAnswer): Promise<Titles> {
  const nodes = new Map(answer.nodes.map((node) => [node.id, node]));
  const registrants = answer.edges.flatMap(({ registered_by: by }) => by ?? []);
  const others = registrants.filter((id) => !nodes.has(id));
  const names = new Map(await askNames(client, others));
  const runs = answer.edges.filter(
    ({ role, from }) => role === 'computation' && nodes.get(from)?.name === undefined,
  );
  const programs = new Set(runs.map(({ from }) => from).filter((id) => id.startsWith(jsonDocument)));
  const ask = async (id: string) => {
    const name = await askNameInside(client, id);
    if (name !== undefined) names.set(id, name);
  };
  await pMap([...programs].slice(0, programsAsked), ask, { concurrency: askedAtOnce });
  for (const { from, to, role } of answer.edges) {
    const name = role === 'computation' ? (nodes.get(from)?.name ?? names.get(from)) : undefined;
    if (name !== undefined) names.set(to, name);
  }
  return new Titles(answer, names);
}
