import { drawn, element } from './element.ts';

export type Tone = 'good' | 'plain' | 'warning' | 'bad';

/** Icons of 12 by 12, so colours are not needed to distinguish the tones. */
const icons: Readonly<Record<Tone, string>> = {
  good: 'M2 6.5 L5 9.5 L10 3',
  plain: 'M3 6 H9',
  warning: 'M6 2 V7 M6 9.5 V10.5',
  bad: 'M3 3 L9 9 M9 3 L3 9',
};

/** A word in a pill that stands out. */
export function badge(tone: Tone, label: string, title?: string): HTMLElement {
  const icon = drawn(
    'svg',
    { viewBox: '0 0 12 12', 'aria-hidden': 'true' },
    drawn('path', { d: icons[tone] }),
  );
  return element('span', { class: `badge ${tone}`, title }, icon, label);
}
