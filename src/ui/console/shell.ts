import { html } from 'hono/html';
import { type CallerName, callerKey } from '../../domain/access/access.ts';
import { type Html, header, type Link } from '../header.ts';
import { page } from '../page.ts';
import { named } from '../parts.ts';

export interface ConsolePage {
  readonly title: string;
  /** The entry of the navigation that the page belongs to. */
  readonly here: Link;
  /** The page below its heading. Its script replaces it after a change. */
  readonly content: Html;
  /** A script of the page beside that of all pages. */
  readonly script?: string;
  readonly styles?: readonly string[];
  /** The page above this one. */
  readonly parent?: Link;
}

/** A page of the console. */
export async function consolePage(
  { title, here, content, script, styles = [], parent }: ConsolePage,
  links: readonly Link[],
): Promise<string> {
  return await page({
    title,
    styles: ['console/console.css', ...styles],
    scripts: ['console/console.ts', ...(script === undefined ? [] : [script])],
    body: html`${header({ here, links })}
<main class="reading">
${parent ? html`<a class="parent" href="${parent.address}">${parent.name}</a>` : ''}
<h1>${title}</h1>
<p id="problem" role="alert"></p>
<div id="content">${content}</div>
</main>
<div id="announcements" role="status" class="unseen"></div>`,
  });
}

/** What to do without the right to see a page. */
export function refusal(sentence: string, returnTo?: string): Html {
  if (returnTo === undefined) return html`<p role="alert">${sentence}</p>`;
  const address = `/ui/sign-in?${new URLSearchParams({ return_to: returnTo })}`;
  return html`<p>${sentence}</p><a class="choice" href="${address}">Sign in</a>`;
}

/** A link to the next page of a list. `cursor` names its parameter, if the page has several lists, and `place` the list. */
export function nextPage(
  path: string,
  query: Readonly<Record<string, string>>,
  next: string | undefined,
  { cursor = 'cursor', place = '' }: { readonly cursor?: string; readonly place?: string } = {},
): Html {
  if (next === undefined) return html``;
  const filled = Object.entries(query).filter(([, value]) => value !== '');
  const search = new URLSearchParams([...filled, [cursor, next]]);
  return html`<p><a class="choice" href="${path}?${search}${place && `#${place}`}">Next page</a></p>`;
}

/** A table that becomes a list on a narrow screen. */
export function records(
  caption: string,
  heads: readonly string[],
  rows: readonly (readonly (Html | string)[])[],
): Html {
  return html`<table class="records">
<caption class="unseen">${caption}</caption>
<thead><tr>${heads.map((head) => html`<th scope="col">${head}</th>`)}</tr></thead>
<tbody>${rows.map((cells) => html`<tr>${cells.map((value, at) => cell(value, at, heads[at] ?? ''))}</tr>`)}</tbody>
</table>`;
}

function cell(value: Html | string, at: number, head: string): Html {
  return at === 0 ? html`<th scope="row">${value}</th>` : html`<td data-label="${head}">${value}</td>`;
}

/** Terms and their values, without those that have none. */
export function facts(rows: readonly (readonly [string, Html | string | null | undefined])[]): Html {
  return html`<dl>${rows.map(([term, value]) => (value ? html`<dt>${term}</dt><dd>${value}</dd>` : ''))}</dl>`;
}

/** A caller by name, with the subject. @param names by `callerKey`. */
export function person(names: ReadonlyMap<string, string>, caller: CallerName): Html | string {
  const name = names.get(callerKey(caller));
  if (caller.subject === null) return 'anybody';
  return name === undefined ? caller.subject : named(name, caller.subject);
}

/** An identifier with a button that copies it. */
export function copyable(id: string, text: string, what: string): Html {
  return html`<span class="copyable"><code id="${id}">${text}</code><button type="button" class="copy" data-copy="${id}" aria-label="Copy ${what}">Copy</button></span>`;
}
