import { harmless } from '../../contract/words/text.ts';
import { element } from './element.ts';

const units = [
  ['year', 31_536_000],
  ['month', 2_592_000],
  ['week', 604_800],
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
] as const;
const relative = new Intl.RelativeTimeFormat('en', { numeric: 'auto' });

/** A time in the reader's locale. Foreign text that is no time stays as it is. */
export function localTime(time: string | number, timeStyle: 'short' | 'medium' = 'short'): string {
  const date = new Date(time);
  if (Number.isNaN(date.getTime())) return harmless(String(time));
  return date.toLocaleString(undefined, { dateStyle: 'medium', timeStyle });
}

/** Writes the times of a page in the reader's locale. */
export function localTimes(): void {
  for (const time of document.querySelectorAll('time'))
    if (time.dateTime !== '') time.textContent = localTime(time.dateTime);
}

/** A time such as "2 hours ago", with the time in the reader's locale in its title. */
export function when(time: unknown): HTMLElement {
  const text = String(time ?? '');
  const seconds = (Date.parse(text) - Date.now()) / 1_000;
  if (Number.isNaN(seconds)) return element('span', {}, text === '' ? 'without a time' : harmless(text));
  return element('time', { datetime: text, title: localTime(text) }, relativeTime(seconds));
}

function relativeTime(seconds: number): string {
  const [unit, size] = units.find(([, size]) => Math.abs(seconds) >= size) ?? ['second', 1];
  return unit === 'second' ? 'just now' : relative.format(Math.trunc(seconds / size), unit);
}

/** A point in time in the reader's time zone, with the exact time in UTC as its title. */
export function timeElement(timestamp: string, style?: 'medium'): HTMLElement {
  const attributes = { datetime: timestamp, title: exactTime(timestamp) };
  return element('time', attributes, localTime(timestamp, style));
}

/** In UTC. */
export function exactTime(timestamp: string): string {
  return timestamp.replace('T', ' ').replace('Z', ' UTC');
}

/** For labels: the time only if it was today, and the year only if it was another one. */
export function shortTime(timestamp: string, now = new Date()): string {
  const time = new Date(timestamp);
  const clock = { hour: '2-digit', minute: '2-digit' } as const;
  const day = { day: 'numeric', month: 'short' } as const;
  const isToday = time.toDateString() === now.toDateString();
  if (isToday) return time.toLocaleTimeString(undefined, clock);
  if (time.getFullYear() === now.getFullYear()) return time.toLocaleString(undefined, { ...day, ...clock });
  return time.toLocaleDateString(undefined, { ...day, year: 'numeric' });
}
