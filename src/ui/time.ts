import { html } from 'hono/html';
import type { Html } from './header.ts';

/** A moment in milliseconds since 1970. The script of the page rewrites it in the reader's locale. */
export function time(moment: number): Html {
  const iso = new Date(moment).toISOString();
  return html`<time datetime="${iso}">${iso.slice(0, 16).replace('T', ' ')} UTC</time>`;
}
