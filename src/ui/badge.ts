import { html } from 'hono/html';
import type { Html } from './header.ts';

/** How a badge stands out. `parts.css` has its colour and icon. */
export type Tone = 'good' | 'plain' | 'warning' | 'bad';

/** A word in a pill. */
export function badge(tone: Tone, label: string): Html {
  return html`<span class="badge ${tone}">${label}</span>`;
}
