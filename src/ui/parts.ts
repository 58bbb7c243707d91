import { html } from 'hono/html';
import type { Tone } from '../contract/words/trust.ts';
import type { Html } from './header.ts';

/** A word in a pill. */
export function badge(tone: Tone, label: string): Html {
  return html`<span class="badge ${tone}">${label}</span>`;
}

/** The name of something with its identifier, because names are not unique. */
export function named(name: string | undefined, id: string): Html {
  return name === undefined
    ? html`<code>${id}</code>`
    : html`<bdi>${name}</bdi> <code class="quiet">${id}</code>`;
}

/** A moment in milliseconds since 1970. The script of the page rewrites it in the reader's locale. */
export function time(moment: number): Html {
  const iso = new Date(moment).toISOString();
  return html`<time datetime="${iso}">${iso.slice(0, 16).replace('T', ' ')} UTC</time>`;
}
