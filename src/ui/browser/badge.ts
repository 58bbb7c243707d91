import { element } from './element.ts';

/** How a badge stands out. `parts.css` has its colour and icon. */
export type Tone = 'good' | 'plain' | 'warning' | 'bad';

/** A word in a pill. */
export function badge(tone: Tone, label: string, title?: string): HTMLElement {
  return element('span', { class: `badge ${tone}`, title }, label);
}
