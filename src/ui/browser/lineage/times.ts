import { element } from '../element.ts';
import type { Graph } from './graph.ts';

/** A point in time in the reader's time zone, with the exact time in UTC as its title. */
export function timeElement(timestamp: string): HTMLElement {
  const text = new Date(timestamp).toLocaleString(undefined, { dateStyle: 'medium', timeStyle: 'short' });
  return element('time', { datetime: timestamp, title: exactTime(timestamp) }, text);
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

/** In UTC. */
export function exactTime(timestamp: string): string {
  return timestamp.replace('T', ' ').replace('Z', ' UTC');
}

/** When a statement was made; when an artefact was made or else registered. */
export function timeOf(graph: Graph, id: string): string | undefined {
  const near = graph.edgesAt(id);
  const edge =
    near.find(({ statement }) => statement === id) ??
    near.find(({ role, to }) => role === 'output' && to === id) ??
    near.find(({ kind, to }) => kind === 'registration' && to === id);
  return edge?.timestamp;
}
