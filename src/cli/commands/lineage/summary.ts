import type { LineageAnswer } from '../../../contract/integrity/lineage.ts';
import { counted } from '../../../contract/words/text.ts';
import { trustMark } from '../../../contract/words/trust.ts';
import type { Flow } from '../../../domain/integrity/lineage/edges.ts';
import { isStep } from './lineage-words.ts';
import type { Titles } from './titles.ts';

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
    `  ${statements(answer)}`,
    ...registrants(answer, titles),
    ...(retracted > 0
      ? [`  Left out: ${counted(retracted, 'retracted computation')}. --include-retracted shows them.`]
      : []),
    ...(isCut ? ['  This is a part. --depth and --limit show more.'] : []),
  ];
}

function reach({ id, nodes, edges }: LineageAnswer, flow: Flow): string {
  const [here, there] = flow === 'upstream' ? (['to', 'from'] as const) : (['from', 'to'] as const);
  const steps = Map.groupBy(edges.filter(isStep), (edge) => edge[here]);
  const reached = new Set([id]);
  for (const at of reached) for (const edge of steps.get(at) ?? []) reached.add(edge[there]);
  reached.delete(id);
  const types = new Map(nodes.map((node) => [node.id, node.kind]));
  const computations = [...reached].filter((one) => types.get(one) === 'statement').length;
  const things = counted(reached.size - computations, 'thing');
  const by = counted(computations, 'computation');
  if (reached.size === 0)
    return flow === 'upstream' ? 'made from nothing known' : 'nothing known was made from it';
  return flow === 'upstream' ? `made from ${things} by ${by}` : `used by ${by}, which made ${things}`;
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
  const groups = Map.groupBy(
    [...of.values()].filter((by) => by !== undefined),
    (by) => by,
  );
  const sorted = [...groups].toSorted(([, one], [, other]) => other.length - one.length);
  const named = sorted
    .slice(0, registrantsNamed)
    .map(([by, { length }]) => `  registered by ${titles.shown(by)}: ${length}`);
  const others = sorted.length - named.length;
  return others > 0 ? [...named, `  and by ${counted(others, 'other')}`] : named;
}
