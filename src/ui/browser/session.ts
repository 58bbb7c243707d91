import { part } from './element.ts';
import { localTimes } from './times.ts';

/** Replaces the content by another rendering of the page, and keeps the focus. */
export function replaceContent(html: string): void {
  const fresh = new DOMParser().parseFromString(html, 'text/html').getElementById('content');
  const focused = document.activeElement?.id;
  if (fresh) part('content').replaceWith(fresh);
  localTimes();
  if (focused) document.getElementById(focused)?.focus();
}
