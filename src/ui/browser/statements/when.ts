import { element } from '../element.ts';
import { localTime } from '../session.ts';
import { harmless } from '../words.ts';

const units = [
  ['year', 31_536_000],
  ['month', 2_592_000],
  ['week', 604_800],
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
] as const;
const relative = new Intl.RelativeTimeFormat('en', { numeric: 'auto' });

/** A time such as "2 hours ago", with the exact time in its title. */
export function when(time: unknown): HTMLElement {
  const text = String(time ?? '');
  const seconds = (Date.parse(text) - Date.now()) / 1_000;
  if (Number.isNaN(seconds)) return element('span', {}, text === '' ? 'without a time' : harmless(text));
  return element('time', { datetime: text, title: exactTime(text) }, relativeTime(seconds));
}

export function exactTime(time: string): string {
  return Number.isNaN(Date.parse(time)) ? harmless(time) : localTime(time);
}

function relativeTime(seconds: number): string {
  const [unit, size] = units.find(([, size]) => Math.abs(seconds) >= size) ?? ['second', 1];
  return unit === 'second' ? 'just now' : relative.format(Math.round(seconds / size), unit);
}
