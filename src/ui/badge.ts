import { html } from 'hono/html';
import { badgeIcons, type Tone } from './browser/badge-icons.ts';
import type { Html } from './header.ts';

/** The same as `browser/badge.ts` makes. */
export function badge(tone: Tone, label: string): Html {
  return html`<span class="badge ${tone}"><svg viewBox="0 0 12 12" aria-hidden="true"><path d="${badgeIcons[tone]}"/></svg>${label}</span>`;
}
