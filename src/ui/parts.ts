import { html } from 'hono/html';
import type { Tone } from '../contract/words/trust.ts';
import type { Html } from './header.ts';

/** A word in a pill. */
export function badge(tone: Tone, label: string): Html {
  return html`<span class="badge ${tone}">${label}</span>`;
}

/** A moment in milliseconds since 1970. The script of the page rewrites it in the reader's locale. */
export function time(moment: number): Html {
  const iso = new Date(moment).toISOString();
  return html`<time datetime="${iso}">${iso.slice(0, 16).replace('T', ' ')} UTC</time>`;
}
