import { part } from './element.ts';

/** Proves that a page of this site sends a request: pages of other sites cannot read the cookie. */
export function csrf(): Record<string, string> {
  const [, token = ''] = /(?:^|; )svc_csrf=([^;]*)/.exec(document.cookie) ?? [];
  return { 'x-csrf-token': decodeURIComponent(token) };
}

/** Writes times in the reader's locale. */
export function localTimes(): void {
  for (const time of document.querySelectorAll('time'))
    if (time.dateTime !== '') time.textContent = localTime(time.dateTime);
}

export function localTime(time: string | number): string {
  return new Date(time).toLocaleString(undefined, { dateStyle: 'medium', timeStyle: 'short' });
}

/** Replaces the content by another rendering of the page, and keeps the focus. */
export function replaceContent(html: string): void {
  const fresh = new DOMParser().parseFromString(html, 'text/html').getElementById('content');
  const focused = document.activeElement?.id;
  if (fresh) part('content').replaceWith(fresh);
  localTimes();
  if (focused) document.getElementById(focused)?.focus();
}
