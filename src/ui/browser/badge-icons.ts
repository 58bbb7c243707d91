export type Tone = 'good' | 'plain' | 'warning' | 'bad';

/** Icons of 12 by 12, so colours are not needed to distinguish the tones. */
export const badgeIcons: Readonly<Record<Tone, string>> = {
  good: 'M2 6.5 L5 9.5 L10 3',
  plain: 'M3 6 H9',
  warning: 'M6 2 V7 M6 9.5 V10.5',
  bad: 'M3 3 L9 9 M9 3 L3 9',
};
