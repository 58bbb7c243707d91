import { element } from '../element.ts';
import type { GraphEdge, Trust } from './graph.ts';

/** The marks that the filter can choose. */
export const trustStates = ['claimed', 'signed', 'revoked'] as const;
export type TrustState = (typeof trustStates)[number];

/** `claimed`, `signed`, `revoked`, or `invalid` for a signature that does not count now. */
export type TrustMark = TrustState | 'invalid';

export function trustMark({ state, valid }: Trust): TrustMark {
  return state === 'signed' && !valid ? 'invalid' : state;
}

/** A sentence for the details: who signed the statement, and whether that counts. */
export function trustWords({ state, by, by_registrant: isRegistrant, valid, reason }: Trust): string {
  if (state === 'claimed') return 'Claimed: nothing proves who registered it.';
  const signer = isRegistrant ? 'its registrant' : (by ?? 'an unknown key');
  const rest = valid || reason === undefined ? '' : ` ${reason}`;
  return state === 'revoked' ? `Revoked: it was signed by ${signer}.${rest}` : `Signed by ${signer}.${rest}`;
}

export function trustBadge(trust: Trust): HTMLElement {
  const mark = trustMark(trust);
  const text = mark === 'invalid' ? 'signed, not valid now' : mark;
  return element('span', { class: `trust ${mark}`, title: trustWords(trust) }, text);
}

/** The mark of a line. It has the weakest of its statements. */
export function weakest(edges: readonly GraphEdge[]): TrustMark {
  const marks = new Set(edges.map(({ trust }) => trustMark(trust)));
  const order: readonly TrustMark[] = ['revoked', 'invalid', 'claimed', 'signed'];
  return order.find((mark) => marks.has(mark)) ?? 'claimed';
}
