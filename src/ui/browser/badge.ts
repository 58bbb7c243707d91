import { badgeIcons, type Tone } from './badge-icons.ts';
import { drawn, element } from './element.ts';

/** A word in a pill that stands out. */
export function badge(tone: Tone, label: string, title?: string): HTMLElement {
  const path = drawn('path', { d: badgeIcons[tone] });
  const icon = drawn('svg', { viewBox: '0 0 12 12', 'aria-hidden': 'true' }, path);
  return element('span', { class: `badge ${tone}`, title }, icon, label);
}
