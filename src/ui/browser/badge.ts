import type { TrustAnswer } from '../../contract/integrity/trust.ts';
import { type Tone, type TrustMark, trustMark, trustMarks, trustWords } from '../../contract/words/trust.ts';
import { element } from './element.ts';

/** A word in a pill. */
export function badge(tone: Tone, label: string, title?: string): HTMLElement {
  return element('span', { class: `badge ${tone}`, title }, label);
}

export function markBadge(mark: TrustMark, title?: string): HTMLElement {
  const { label, tone } = trustMarks[mark];
  return badge(tone, label, title);
}

/** The mark of a statement. Its title says who signed. */
export function trustBadge(trust: TrustAnswer): HTMLElement {
  return markBadge(trustMark(trust), trustWords(trust));
}
