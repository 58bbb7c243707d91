import type { TrustAnswer as Trust } from '../../../contract/integrity/trust.ts';
import { badge, type Tone } from '../badge.ts';
import { harmless } from '../words.ts';
import type { Graph, GraphEdge } from './graph.ts';

/** What a statement is marked with. `invalid` is a signature that does not count now. */
export const trustMarks = ['signed', 'claimed', 'invalid', 'revoked', 'retracted'] as const;
export type TrustMark = (typeof trustMarks)[number];

const texts: Readonly<Record<TrustMark, { label: string; meaning: string; tone: Tone }>> = {
  signed: { label: 'signed', meaning: 'a signature was checked and counts now', tone: 'good' },
  claimed: { label: 'claimed', meaning: 'nothing proves who registered it (not drawn)', tone: 'plain' },
  invalid: {
    label: 'not valid now',
    meaning: 'signed, but expired, suspended or not valid yet',
    tone: 'warning',
  },
  revoked: { label: 'revoked', meaning: 'signed, and its credential was revoked', tone: 'bad' },
  retracted: { label: 'retracted', meaning: 'whoever made it has withdrawn it', tone: 'bad' },
};

export function trustMark({ state, valid }: Trust): TrustMark {
  return state === 'signed' && !valid ? 'invalid' : state;
}

/** A sentence for the details: who signed the statement, and whether that counts. */
export function trustWords({
  state,
  by,
  by_registrant: isRegistrant,
  valid,
  reason,
  retraction,
}: Trust): string {
  if (state === 'claimed') return 'Nothing proves who registered it.';
  if (retraction) return retractedWords({ by, by_registrant: isRegistrant, reason, retraction });
  const signer = isRegistrant ? 'its registrant' : (by ?? 'an unknown key');
  return `Signed by ${signer}.${valid || reason === undefined ? '' : ` ${reason}`}`;
}

/** Who has withdrawn a statement, when and why. The reason is the text of whoever did it. */
function retractedWords({
  by,
  by_registrant: isRegistrant,
  reason,
  retraction,
}: Omit<Trust, 'state'>): string {
  const who = isRegistrant ? 'its registrant' : retraction?.signed ? by : 'whoever registered it';
  const time = retraction?.timestamp === undefined ? '' : ` at ${retraction.timestamp}`;
  return `Retracted by ${who ?? 'an unknown key'}${time}${reason === undefined ? '.' : `: ${harmless(reason, 500)}`}`;
}

export function trustBadge(mark: TrustMark, title?: string): HTMLElement {
  const { label, tone } = texts[mark];
  return badge(tone, label, title);
}

/** The mark in words. Claims have none, because most statements are claims. */
export function markLabel(trust: Trust | undefined): string | undefined {
  const mark = trust && trustMark(trust);
  return mark === undefined || mark === 'claimed' ? undefined : texts[mark].label;
}

/** The mark as a badge. Claims have none. */
export function markBadge(trust: Trust | undefined): HTMLElement[] {
  return trust && markLabel(trust) !== undefined ? [trustBadge(trustMark(trust), trustWords(trust))] : [];
}

/** The marks in a graph, with their meaning and the number of statements. */
export function markLegend({ nodes, edges }: Graph): { mark: TrustMark; words: string }[] {
  const marks = new Map<string, TrustMark>();
  for (const { statement, trust } of edges.values()) marks.set(statement, trustMark(trust));
  for (const { id, trust } of nodes.values()) if (trust) marks.set(id, trustMark(trust));
  const counts = Map.groupBy(marks.values(), (mark) => mark);
  return trustMarks.flatMap((mark) => {
    const count = counts.get(mark)?.length ?? 0;
    return count === 0 ? [] : [{ mark, words: `${texts[mark].meaning}: ${count}` }];
  });
}

/** The mark of a line. It has the weakest of its statements. */
export function weakest(edges: readonly GraphEdge[]): TrustMark {
  const marks = new Set(edges.map(({ trust }) => trustMark(trust)));
  const order: readonly TrustMark[] = ['retracted', 'revoked', 'invalid', 'claimed', 'signed'];
  return order.find((mark) => marks.has(mark)) ?? 'claimed';
}
